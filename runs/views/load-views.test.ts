import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import { ALL_FORMATS } from "../../reports/report-formats.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { makeRun } from "../../tests/support/results/load-run.ts";
import { adviceFor, loadResultOf, writeLoadViews } from "./load-views.ts";

/** A result folder with the records of one of two segments. */
function shard(segment: string, change = (header: string) => header): string {
  const folder = newFolder();
  const { records, client } = makeRun({ segment, warmupS: 0, durationS: 2 });
  const [header = "", ...lines] = records;
  writeFileSync(join(folder, FILES.records), [change(header), ...lines].join("\n"));
  writeFileSync(join(folder, FILES.client), client.join("\n"));
  return folder;
}

test("shards of one load merge", async () => {
  const run = await loadResultOf([shard("0:1/2"), shard("1/2:1")]);
  expect(run).toMatchObject({ segments: 2, shape: "20/s constant for 2s" });
});

test("shards with different settings do not, and the refusal names the setting and both values", async () => {
  const timeout = (ms: number) => (header: string) => header.replace('"rate":', `"timeout":${ms},"rate":`);
  const folders = [shard("0:1/2", timeout(5_000)), shard("1/2:1", timeout(60_000))];
  await expect(loadResultOf(folders)).rejects.toThrow(
    `Cannot merge ${folders[0]} and ${folders[1]}: they are not shards of one load, for --set timeout differs: 5s in the first, 1m in the other.`,
  );
});

test("a view that cannot be made costs no other", async () => {
  const folder = shard("0:1");
  const run = await loadResultOf([folder]);
  const failing = {
    ending: "html",
    conformance: () => undefined,
    load: () => {
      throw new Error("no chart");
    },
  };
  await writeLoadViews(folder, run, [folder], [failing, ...ALL_FORMATS.filter(({ ending }) => ending === "json")]);
  expect(["run.html", "run.json"].map((name) => existsSync(join(folder, name)))).toEqual([false, true]);
});

test("a folder of runs names them", () => {
  const outer = newFolder();
  expect(adviceFor(outer)).toBe("Name the result folder of a run.");
  for (const name of ["run-10", "run-2"]) renameSync(shard("0:1"), join(outer, name));
  mkdirSync(join(outer, "other"));
  expect(adviceFor(outer)).toBe(
    `It holds the runs ${join(outer, "run-2")}, ${join(outer, "run-10")}: name one of them.`,
  );
});
