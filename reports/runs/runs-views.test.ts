import { beforeAll, describe, expect, test } from "vitest";
import type { RunResult } from "../../formats/run.ts";
import { type RunsResult, runsJson, runsResult } from "../../formats/runs.ts";
import { summarizeRun } from "../../tests/support/results/summarize-run.ts";
import { compareRuns, type NamedRun } from "./compare-runs.ts";
import { runTable } from "./run-table.ts";
import { runsPlots } from "./runs-plots.ts";
import { runsHtml, runsMarkdown, runsTerminal } from "./runs-views.ts";

let base: RunResult;
let four: RunsResult;

/** A run at a rate, whose latency grows with it. */
function runAt(rate: number, maxTokens: number, more: Partial<RunResult> = {}): RunResult {
  const p95 = 100 + (rate * rate * maxTokens) / 1_000;
  const { ttft_scheduled: latency, requests_per_s: throughput } = base.metrics;
  if (latency === undefined || throughput === undefined) throw new Error("The run has no figures.");
  return {
    ...base,
    settings: { ...base.settings, rate, maxTokens, seed: rate },
    counts: { ...base.counts, offered: rate * 30 },
    metrics: {
      ...base.metrics,
      requests_per_s: { ...throughput, value: rate },
      goodput: { unit: "1/s", count: 1, value: rate / 2 },
      ttft_scheduled: { ...latency, p95, intervals: { p95: [p95 - 5, null] }, band: { high: { p95: p95 + 20 } } },
    },
    cost: { currency: "EUR", total: rate / 100, measured: rate / 100, perOk: 0.01, per1000Good: maxTokens / rate },
    ...more,
  };
}

const named = (...runs: readonly RunResult[]): NamedRun[] =>
  runs.map((run, index) => ({ dir: `run-0${index + 1}`, run }));
const compare = (...runs: readonly RunResult[]): RunsResult => compareRuns(named(...runs), { tool: "assay 0.1.0" });

beforeAll(async () => {
  base = await summarizeRun();
  four = compare(runAt(40, 64), runAt(20, 256), runAt(20, 64), runAt(40, 256));
});

describe("runs of unlike loads", () => {
  test("are curves of those that differ in the rate only, from the lowest load, whatever their order was", () => {
    expect(four.curves).toEqual([
      { name: "max-tokens 64", runs: ["run-03", "run-01"] },
      { name: "max-tokens 256", runs: ["run-02", "run-04"] },
    ]);
    expect(four.runs.map(({ dir }) => dir)).toEqual(["run-03", "run-01", "run-02", "run-04"]);
    const users = { ...base.settings, maxTokens: 64, rate: undefined, vus: 8 };
    const both = compare(runAt(20, 64), runAt(20, 64, { settings: users }));
    expect(both.curves.map(({ name }) => name)).toEqual(["rate", "users"]);
  });

  test("have a table of what differs only, settings before figures; seeds are no difference", () => {
    expect(four.settings).toEqual(["rate", "max-tokens"]);
    expect(runTable(four)).toEqual({
      head: [
        "rate",
        "max-tokens",
        "requests_per_s",
        "goodput",
        "ttft_scheduled p95",
        "cost total",
        "cost per 1000 good",
      ],
      rows: [
        ["20", "64", "20/s", "10/s", "125.6 ms", "0.20 EUR", "3.20 EUR"],
        ["40", "64", "40/s", "20/s", "202.4 ms", "0.40 EUR", "1.60 EUR"],
        ["20", "256", "20/s", "10/s", "202.4 ms", "0.20 EUR", "12.80 EUR"],
        ["40", "256", "40/s", "20/s", "509.6 ms", "0.40 EUR", "6.40 EUR"],
      ],
    });
    const [failed, passed] = [runAt(20, 64, { exitCode: 1, conclusion: "missed: x" }), runAt(20, 64)];
    expect(runTable(compare(failed, passed)).rows).toEqual([["FAILED"], ["PASSED"]]);
  });

  test("are drawn with the widest bounds that chance and the load generator leave, and no bound that is not known", () => {
    expect(four.runs[0]?.latency).toEqual({ value: 125.6, low: 120.6, high: 145.6 });
    const [latency, cost] = runsPlots(four);
    expect(latency?.layers.map(({ kind, name }) => [kind, name])).toEqual([
      ["band", ""],
      ["line", "max-tokens 64"],
      ["band", ""],
      ["line", "max-tokens 256"],
    ]);
    expect(latency?.table.rows[0]).toEqual([20, 125.6, 120.6, 145.6, "run-03", "20", "64"]);
    expect(cost?.layers.map(({ kind }) => kind)).toEqual(["line", "line"]);
    expect(cost?.dots?.map(({ x, y, href }) => [x, y, href])[0]).toEqual([3.2, 10, "run-03/run.html"]);
  });

  test("that are not VALID, or were cut off, are in the table and in no curve, and it is said", () => {
    const invalid = runAt(40, 64, { validity: { ...base.validity, verdict: "INVALID" }, exitCode: 2 });
    const result = compare(runAt(20, 64), invalid, runAt(60, 64, { interrupted: true }));
    expect(result.curves).toEqual([{ name: "", runs: ["run-01"] }]);
    expect(result.notes).toEqual(["In no curve: run-02 (INVALID), run-03 (ended before its time)."]);
    expect(runTable(result).rows[1]).toContain("INVALID");
  });

  test("take the percentile that most runs have, and leave out costs in several currencies", () => {
    const { ttft_scheduled: latency } = base.metrics;
    if (latency === undefined) throw new Error("The run has no latency.");
    const { p95: _, ...few } = latency;
    const rare = (rate: number) => runAt(rate, 64, { metrics: { ...base.metrics, ttft_scheduled: few } });
    expect(compare(runAt(20, 64), rare(10), rare(5)).latency).toBe("ttft_scheduled_p90");
    const dollars = runAt(40, 64, { cost: { currency: "USD", total: 1, measured: 1, perOk: 1 } });
    const mixed = compare(runAt(20, 64), dollars);
    expect(mixed.notes).toEqual([expect.stringContaining("different currencies")]);
    expect(runsPlots(mixed).map(({ name }) => name)).toEqual(["latency"]);
  });

  test("of a grid that was interrupted are inconclusive, also where none ended", () => {
    const grid = { command: {}, axes: ["rate"], cells: 2 };
    for (const runs of [[], [runAt(20, 64)]]) {
      const result = compareRuns(named(...runs), { tool: "assay", grid, interrupted: true });
      expect(result).toMatchObject({ exitCode: 2, conclusion: `interrupted in or after run ${runs.length} of 2` });
      expect(runsHtml(result)).toContain("INCONCLUSIVE");
    }
  });

  test("as JSON that is read again, as a page with a link to each run, as Markdown and on a terminal", async () => {
    expect(runsResult.parse(JSON.parse(runsJson(four)))).toEqual(four);
    const page = runsHtml(four);
    await expect(page).toMatchFileSnapshot("golden/runs.html");
    for (const { dir } of four.runs) expect(page.split(`href="${dir}/run.html"`)).toHaveLength(4);
    await expect(runsMarkdown(four)).toMatchFileSnapshot("golden/runs.md");
    await expect(runsTerminal(four, { colour: false })).toMatchFileSnapshot("golden/runs.txt");
  });
});
