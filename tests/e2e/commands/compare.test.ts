/** Comparisons of real loads: of the same target twice, of one that is slower by a known amount, and of different loads. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type CompareResult, compareResult } from "../../../formats/compare.ts";
import { repeatResult } from "../../../formats/repeat.ts";
import { parseJson } from "../../../lib/json.ts";
import { assay, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

/** The difference is larger than what a load generator on a busy machine can have caused. */
const TTFT_MS = { base: 60, slower: 560 };
const ADDED_MS = TTFT_MS.slower - TTFT_MS.base;
/** A mock writes a chunk up to so much after it is due, and the two mocks not by the same time. */
const MOCK_ERROR_MS = 1;
const LATE = /CLIENT-LIMITED/;

const folder = newFolder();
const dir = (name: string): string => join(folder, name);
let target: string;

const loadOf = (url: string, ...flags: readonly string[]): string[] => [
  ...["load", "chat-stream", "--target", url, "--rate", "40", "--duration", "3s", "--warmup", "500ms", "--quiet"],
  ...FEW_UNITS,
  ...flags,
];

/** Runs a load; again, when the machine of the tests was too busy for its timing. */
async function measured(name: string, url: string, ...flags: readonly string[]): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const out = dir(`${name}-${attempt}`);
    const { code, stderr, stdout } = await assay(loadOf(url, "--out", out, ...flags));
    expect(code, stderr + stdout).not.toBe(3);
    if (attempt === 3 || !LATE.test(stdout)) return out;
  }
}

let base: string;
let slower: string;
let repeated: string;
const stopped = dir("stopped");

beforeAll(async () => {
  const mock = (ttft: number) => startMockProcess("--ttft", `${ttft}ms`, "--itl", "2ms", "--output-tokens", "10");
  const [one, two] = await Promise.all([mock(TTFT_MS.base), mock(TTFT_MS.slower)]);
  target = one.url;
  [base, slower] = await Promise.all([measured("base", one.url), measured("slower", two.url)]);
  repeated = await measured("repeated", one.url, "--repeat", "2", "--set", "repeat-pause=100ms");
});

/** Compares with limits that so little data can decide on. */
async function compare(out: string, ...args: readonly string[]) {
  const limits = ["--gate", "ttft_p50,e2e_p50", "--max-regression", "50%"];
  const ended = await assay(["compare", ...args, ...limits, "--out", dir(out)]);
  const file = join(dir(out), "compare.json");
  const result = existsSync(file) ? compareResult.parse(parseJson(readFileSync(file, "utf8"))) : undefined;
  return { ...ended, result };
}

/** Whether the machine of the tests let the timing be compared. */
const isTimed = ({ metrics }: CompareResult): boolean => metrics.length > 0;

test("the same target twice is not worse", async () => {
  const { code, result, stderr } = await compare("same", base, repeated);
  expect(stderr).toBe("");
  expect(result?.runToRun).toBe(true);
  expect(result?.new).toEqual([join(repeated, "run-1"), join(repeated, "run-2")]);
  expect(result?.metrics.filter(({ decision }) => decision === "regression")).toEqual([]);
  expect([0, 2]).toContain(code);
});

test("a repeated load is reported from the records of its runs, with the same result", async () => {
  const out = dir("again");
  const { code, stdout, stderr } = await assay(["report", repeated, "--out", out]);
  expect(stderr).toBe("");
  const repeatIn = (of: string) => repeatResult.parse(parseJson(readFileSync(join(of, "repeat.json"), "utf8")));
  expect(repeatIn(out)).toEqual(repeatIn(repeated));
  expect(code).toBe(repeatIn(repeated).exitCode);
  expect(stdout).toContain("run-2");
  expect(readFileSync(join(out, "index.html"), "utf8")).toContain('href="run-1/run.html"');
  expect(existsSync(join(out, "run-1", "run.html"))).toBe(true);
});

test("a target that is slower by a known amount is worse, within an interval that contains it, and fails", async () => {
  const markdown = join(folder, "pr.md");
  const { code, result, stdout } = await compare("worse", base, slower, "--markdown", markdown);
  if (result === undefined || !isTimed(result)) {
    expect(stdout).toMatch(LATE);
    expect(code).toBe(2);
    return;
  }
  const [ttft] = result.metrics;
  expect(ttft, stdout).toMatchObject({ name: "ttft_p50", verdict: "worse", decision: "regression" });
  const ofBase = ttft?.base ?? Number.NaN;
  const [low, high] = ttft?.interval ?? [null, null];
  expect(low).toBeLessThan((ADDED_MS + MOCK_ERROR_MS) / ofBase);
  expect(high).toBeGreaterThan((ADDED_MS - MOCK_ERROR_MS) / ofBase);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^REGRESSION {2}worse than allowed: ttft_p50/);
  expect(readFileSync(markdown, "utf8")).toBe(readFileSync(join(dir("worse"), "compare.md"), "utf8"));
  const html = readFileSync(join(dir("worse"), "compare.html"), "utf8");
  expect(html).toContain("Time to first token");
  expect(html.match(/<svg/g)?.length).toBeGreaterThanOrEqual(3);
});

test("a repeated load has a folder and a seed per run, and the spread between them", () => {
  const result = repeatResult.parse(parseJson(readFileSync(join(repeated, "repeat.json"), "utf8")));
  expect(result.runs.map(({ dir: own, seed, units }) => [own, seed, units])).toEqual([
    ["run-1", 1, 120],
    ["run-2", 2, 120],
  ]);
  const ttft = result.metrics.find(({ name }) => name === "ttft_scheduled_p50");
  expect(ttft?.values).toEqual([expect.any(Number), expect.any(Number)]);
  expect(readFileSync(join(repeated, "index.html"), "utf8")).toContain('href="run-2/run.html"');
});

test("Ctrl-C ends a repetition, and what was measured is reported", async () => {
  const running = startAssay(
    loadOf(target, "--rate", "50", "--repeat", "3", "--set", "repeat-pause=10m", "--out", stopped).filter(
      (flag) => flag !== "--quiet",
    ),
  );
  await running.until(/^run-1 {2}.*$/m);
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect(stderr).toContain("no further run is started");
  expect(code).toBe(2);
  expect(stdout).toContain("interrupted in or after run 1 of 3");
  const result = repeatResult.parse(parseJson(readFileSync(join(stopped, "repeat.json"), "utf8")));
  expect(result).toMatchObject({ asked: 3, interrupted: true, exitCode: 2 });
});

test("different loads are refused, naming the setting", async () => {
  const { code, stderr, result } = await compare("other", base, join(stopped, "run-1"));
  expect([code, result]).toEqual([2, undefined]);
  expect(stderr).toContain("their loads differ: --rate is 40 in the first and 50 in the other.");
});
