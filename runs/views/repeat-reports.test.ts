import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { isRepeated, regenerateRepeats } from "./repeat-reports.ts";

/** The folder of a load with `--repeat` that was killed in its last run. */
function killed(recorded: number, begun: number): string {
  const folder = newFolder();
  for (let number = 1; number <= begun; number += 1) {
    const own = join(folder, `run-${number}`);
    mkdirSync(own);
    const { records, client } = makeRun({ warmupS: 0, durationS: 2 });
    writeFileSync(join(own, FILES.records), number > recorded ? "" : records.join("\n"));
    if (number <= recorded) writeFileSync(join(own, FILES.client), client.join("\n"));
  }
  return folder;
}

test("a repetition that was killed in its first or second run is reported with what was recorded", async () => {
  for (const [recorded, begun] of [
    [1, 1],
    [1, 2],
  ] as const) {
    const folder = killed(recorded, begun);
    expect(isRepeated(folder)).toBe(true);
    const { runs, asked, interrupted } = await regenerateRepeats(folder, folder, []);
    expect({ runs: runs.map(({ dir }) => dir), asked, interrupted }).toEqual({
      runs: ["run-1"],
      asked: begun,
      interrupted: true,
    });
  }
});

test("a run that was killed after others counts too, once it recorded something", async () => {
  const folder = killed(1, 1);
  await regenerateRepeats(folder, folder, []);
  const second = killed(2, 2);
  writeFileSync(join(second, FILES.repeat), readFileSync(join(folder, FILES.repeat)));
  expect((await regenerateRepeats(second, second, [])).runs.map(({ dir }) => dir)).toEqual(["run-1", "run-2"]);
});

test("one in which nothing was recorded says so; the runs of a search are none of it", async () => {
  await expect(regenerateRepeats(killed(0, 2), newFolder(), [])).rejects.toThrow(
    "none of its runs recorded anything. Run the load again.",
  );
  const search = newFolder();
  for (const run of ["run-01", "run-10"]) {
    mkdirSync(join(search, run));
    writeFileSync(join(search, run, FILES.records), "{}\n");
  }
  expect(isRepeated(search)).toBe(false);
});

test("a folder whose runs are no loads is not one of a repeated load", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "run-1"));
  writeFileSync(join(folder, "run-1", FILES.verdicts), "");
  expect(isRepeated(folder)).toBe(false);
});
