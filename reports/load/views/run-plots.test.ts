import { expect, test } from "vitest";
import type { RunResult } from "../../../formats/run.ts";
import { summarizeRun } from "../../../tests/support/results/summarize-run.ts";
import { backgroundOf, runPlots } from "./run-plots.ts";

const PHASES = ["warmup", "warmup", "measure", "measure", "measure", "measure", "drain"];
const window = (phase: string, t: number) => ({ t, phase, due: 0, sent: 0, ended: 0, ok: 0, outcomes: {} });
const windows = PHASES.map(window);

const spans = (more: Partial<RunResult>) =>
  backgroundOf({ windows, outages: [], ...more }).map((mark) =>
    mark.kind === "span"
      ? [mark.tone, mark.label, mark.from, mark.to]
      : [mark.kind, mark.label, mark.kind !== "y" && mark.at],
  );

test("plots mark the warm-up, the drain, outages and steps of the rate", () => {
  const outage = { fromS: 3, toS: 4, requests: 9, outcomes: {}, recovered: true };
  const step = { rate: "20/s", fromS: 1, toS: 4, due: 9, failed: 0, notStarted: 0 };
  expect(spans({ outages: [outage], steps: [step] })).toEqual([
    ["soft", "warm-up", 0, 2],
    ["soft", "drain", 6, 7],
    ["bad", "no response", 3, 4],
    ["x", "20/s", 3],
  ]);
});

test("the part that is not steady is marked, all of the measured time where no end of it is known", () => {
  const steady = { steady: false, metric: "ttft", form: "step" } as const;
  expect(spans({ steadiness: { ...steady, sinceS: 1.5 } })).toContainEqual(["unsteady", "not steady", 2, 3.5]);
  expect(spans({ steadiness: { ...steady, form: "drift" } })).toContainEqual(["unsteady", "not steady", 2, 6]);
  expect(spans({ steadiness: { steady: true } }).flat()).not.toContain("unsteady");
});

test("stalls are marked where they ended, those of one group or of all operations, and periodic ones of the run", () => {
  const groupOf = (by: "operation" | "model", name: string, t: number, stalls: number) => ({
    ...{ by, name, op: "chat.stream", series: {} },
    rates: [[t, 5, 5, 0, 90, stalls] satisfies [number, number, number, number, number, number]],
  });
  const model = groupOf("model", "lora", 4, 1);
  const groups = [groupOf("operation", "chat.stream", 3, 2), groupOf("operation", "chat", 5, 0), model];
  const run = {
    ...{ windows, outages: [], charts: { intervalS: 1, groups } },
    periodicStalls: { periodS: 1, stallMs: 300, count: 2, firstS: 0.5, endedS: [0.5, 1.5] },
  };
  const ticks = (group?: typeof model) =>
    backgroundOf(run, group).flatMap((mark) => (mark.kind === "tick" ? [[mark.label, mark.at]] : []));
  const periodic = [
    ["periodic stall", 2.5],
    ["periodic stall", 3.5],
  ];
  expect(ticks()).toEqual([["stall", 3.5], ...periodic]);
  expect(ticks(model)).toEqual([["stall", 4.5], ...periodic]);
});

test.each([
  [6, "as the target reports"],
  [7, "as the target reports; 1 more in the table"],
])("a plot of %i series of the target has six lines, and says how many more there are", async (count, caption) => {
  const series = Array.from({ length: count }, (_, at) => ({
    ...{ name: `pool_size{pool="${at}"}`, count: 2, mean: at, max: at, maxAtS: 0 },
    points: [0, 1].map((t): [number, number] => [t, at]),
  }));
  const source = { source: "target", url: "http://127.0.0.1:9/metrics", readings: 2, failures: 0, series };
  const plot = runPlots({ ...(await summarizeRun()), targetMetrics: [source] }).find(
    ({ title }) => title === "Target: pool_size",
  );
  expect([plot?.caption, plot?.layers.length]).toEqual([caption, 6]);
});
