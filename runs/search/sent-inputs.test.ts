import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { SentInputs } from "./sent-inputs.ts";

test("inputs are repeated that were sent in a run or in one before it; runs that say nothing count as none", async () => {
  const folderWith = (digests: readonly (number | undefined)[]): string => {
    const folder = newFolder();
    const lines = digests.map((input_digest, index) => JSON.stringify({ id: `r-${index}`, input_digest }));
    writeFileSync(join(folder, "records.jsonl"), `{"schema":"assay.records/1"}\n${lines.join("\n")}\n`);
    return folder;
  };
  const sent = new SentInputs();
  expect(await sent.add(folderWith([1, 2, 1, 4_503_599_627_370_495, undefined]))).toBe(0.25);
  expect(await sent.add(folderWith([2, 4_503_599_627_370_495, 4_503_599_627_370_494, 3]))).toBe(0.5);
  expect(await sent.add(folderWith([undefined]))).toBeUndefined();
  expect(await sent.add(newFolder())).toBeUndefined();
});
