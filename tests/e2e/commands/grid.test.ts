/** A grid that is interrupted and resumed, and a report on loads that differ. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { runsResult } from "../../../formats/runs.ts";
import { parseJson } from "../../../lib/json.ts";
import { RunDatabase } from "../../../runs/views/run-database.ts";
import { assay, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const folder = newFolder();
const out = join(folder, "grid");
let grid: string[];

const runsIn = (of: string) => runsResult.parse(parseJson(readFileSync(join(of, "runs.json"), "utf8")));

beforeAll(async () => {
  const { url } = await startMockProcess("--timing", "instant");
  const load = ["load", "chat-stream", "--target", url, "--duration", "1s", "--warmup", "0", ...FEW_UNITS];
  grid = [...load, "--grid", "rate=20,40", "--grid", "max-tokens=8,16", "--out", out];
});

test("Ctrl-C keeps what ended; the same command runs the rest, and another one is refused", async () => {
  const running = startAssay([...grid, "--set", "repeat-pause=10m"]);
  await running.until(/^run-01 {2}.*$/m);
  running.child.kill("SIGINT");
  const ended = await running.ended;
  expect(ended.code, ended.stderr).toBe(2);
  expect(ended.stdout).toMatch(/interrupted in or after run 1 of 4\n[\s\S]*left {4}3 of 4: the same command/);
  const [first] = runsIn(out).runs;
  expect(first?.dir).toBe("run-01");

  const refused = await assay([...grid, "--max-in-flight", "9"]);
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
  expect(refused.stderr).toContain("its max-in-flight is 200, and 9 is given");

  const { code, stdout, stderr } = await assay([...grid, "--set", "repeat-pause=0s"]);
  expect(code, stderr).not.toBe(3);
  expect(stderr).toContain("Resuming: 1 of 4 runs are in");
  expect(stdout).not.toMatch(/^run-01 .*seed/m);
  const { runs, curves, grid: saved } = runsIn(out);
  expect(runs.map(({ dir }) => dir).toSorted()).toEqual(["run-01", "run-02", "run-03", "run-04"]);
  expect(runs.find(({ dir }) => dir === "run-01")).toMatchObject({ startedAt: first?.startedAt, cell: first?.cell });
  expect(new Set(runs.map(({ cell }) => cell)).size).toBe(4);
  expect(curves.length).toBeLessThanOrEqual(2);
  expect(saved?.cells).toBe(4);
  const page = readFileSync(join(out, "index.html"), "utf8");
  for (const { dir } of runs) expect(page).toContain(`href="${dir}/run.html"`);
});

test("its table has a row per run, with its settings and figures as numbers", async () => {
  const database = await RunDatabase.empty([newFolder()]);
  try {
    const row = z.object({ rate: z.number(), "max-tokens": z.number(), requests_per_s: z.number() });
    const rows = await database.all(`FROM '${join(out, "runs.parquet")}' ORDER BY rate, "max-tokens"`, row);
    expect(rows.map((each) => [each.rate, each["max-tokens"]])).toEqual([
      [20, 8],
      [20, 16],
      [40, 8],
      [40, 16],
    ]);
  } finally {
    database.close();
  }
});

test("its reports are made again, and loads that differ have one page with the reports of each", async () => {
  const before = runsIn(out);
  const again = await assay(["report", out, "--quiet"]);
  expect(again.code, again.stderr).not.toBe(3);
  expect(runsIn(out)).toEqual(before);
  const page = join(folder, "page");
  const sources = before.runs.slice(0, 2).map(({ dir }) => join(out, dir));
  const { code, stderr, stdout } = await assay(["report", ...sources, "--out", page]);
  expect(code, stderr).not.toBe(3);
  expect(stdout).toMatch(/^\S+ {2}2 runs of chat-stream: /);
  expect(runsIn(page)).toMatchObject({ settings: ["rate"], runs: sources.map((source) => ({ source })) });
  expect(readdirSync(page).toSorted()).toEqual([
    ".assay",
    "index.html",
    "run-01",
    "run-02",
    "runs.json",
    "runs.md",
    "runs.parquet",
  ]);
  expect(readdirSync(join(page, "run-02"))).toContain("run.html");
  const ofJson = join(folder, "page-of-json");
  await assay(["report", ...sources, "--format", "json", "--out", ofJson]);
  expect(readdirSync(ofJson)).toContain("index.html");
  expect(readdirSync(join(ofJson, "run-02"))).not.toContain("run.html");
  const afterwards = await assay(["report", page]);
  expect([afterwards.code, afterwards.stderr]).toEqual([3, expect.stringContaining("it is a report on other folders")]);
});
