/** The short version of `npm run fuzz`. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { fuzzAll, runnable } from "../fuzz/fuzz-all.ts";
import { FUZZ_TARGETS } from "../fuzz/fuzz-targets.ts";
import { newFolder } from "../support/commands/assay-process.ts";

test.each(FUZZ_TARGETS)("$name", async ({ property, weight }) => {
  await fc.assert(property, { seed: 1, numRuns: weight < 1 ? 50 : 300 });
});

test("a target that finds something fails the run, which prints the input and keeps it", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const error = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const folder = join(newFolder(), "findings");
  const finding = { name: "small (a/b.ts)", weight: 1, property: fc.property(fc.nat(), (value) => value < 100) };
  const fine = { name: "any", weight: 3, property: fc.property(fc.nat(), () => true) };
  try {
    expect(await fuzzAll([finding, fine].map(runnable), 1_000, folder)).toBe(1);
    expect(await fuzzAll([fine].map(runnable), 1_000, join(folder, "none"))).toBe(0);
    const printed = write.mock.calls.join("\n");
    expect(printed).toMatch(/small \(a\/b\.ts\): \d+ inputs in \d+ s, FINDING/);
    expect(printed).toContain("any: 750 inputs in 0 s, no finding");
    expect(error.mock.calls.join("\n")).toContain("Counterexample: [100]");
  } finally {
    write.mockRestore();
    error.mockRestore();
  }
  expect(readdirSync(folder)).toEqual(["small-a-b-ts-.txt"]);
  expect(readFileSync(join(folder, "small-a-b-ts-.txt"), "utf8")).toContain("Counterexample: [100]");
});
