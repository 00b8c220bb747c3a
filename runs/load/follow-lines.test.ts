import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { followLines } from "./follow-lines.ts";

test("what is added to the other files is given with the next line of the first, and all the rest at the end", async () => {
  const folder = newFolder();
  const [clock, records] = [join(folder, "clock"), join(folder, "records")];
  writeFileSync(records, "before\n");
  const given: (readonly (readonly string[])[])[] = [];
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const followed = followLines([clock, records], (added) => {
    given.push(added);
    tell();
  });
  await new Promise(setImmediate);
  writeFileSync(clock, "1\n");
  await told;
  appendFileSync(records, "after\n");
  await followed.stop();
  expect(given).toEqual([
    [["1"], ["before"]],
    [[], ["after"]],
  ]);
});
