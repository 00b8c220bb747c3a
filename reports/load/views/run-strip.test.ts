import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RunResult, runResult } from "../../../formats/run.ts";
import { runStrip } from "./run-strip.ts";
import { type StripMark, stripMarks } from "./strip-marks.ts";

const PHASES = [...Array(2).fill("warmup"), ...Array(20).fill("measure"), "drain", "drain"];
const windows = PHASES.map((phase, t) => ({ t, phase, due: 10, sent: 10, ended: 10, ok: 10, outcomes: { ok: 10 } }));
const stored: RunResult = runResult.parse(
  JSON.parse(readFileSync(new URL("./golden/good.json", import.meta.url), "utf8")),
);
const [group] = stored.charts?.groups ?? [];
if (group === undefined) throw new Error("The stored result has no charts.");
const seconds = PHASES.map((_, t) => t);
/** 10 requests/s for 24 s, one of which fails in second 5; time to first token rises from 100 to 200 ms. */
const run: RunResult = {
  ...stored,
  windows,
  slos: [],
  charts: {
    intervalS: 1,
    groups: [
      {
        ...group,
        rates: seconds.map((t) => [t, 10, t === 5 ? 9 : 10, t === 5 ? 1 : 0, 0, 0]),
        arrivals: seconds.map((t) => [t, 10, t === 9 ? 6 : 10]),
        series: {
          ttft: {
            ...{ count: 200, histogram: [], curve: [] },
            intervals: seconds.map((t) => [t, 10, 100, 120, t < 12 ? 150 : 200, 210]),
          },
        },
      },
    ],
  },
};
const ALL_OK: NonNullable<RunResult["charts"]>["groups"][number]["rates"][number] = [0, 9, 9, 0, 0, 0];
const outage = (fromS: number, toS: number) => ({ fromS, toS, requests: 9, outcomes: {}, recovered: true });
const marksOf = (more: Partial<RunResult>) => stripMarks({ ...run, ...more });
const findings = (more: Partial<RunResult>) =>
  marksOf(more)
    .filter(({ section }) => section !== "run")
    .map(({ label, from, to, section }) => [label, from, to, section]);
const textOf = (more: Partial<RunResult> = {}): string => runStrip({ ...run, ...more }, marksOf(more))?.text ?? "";

test.each<[string, Partial<RunResult>, unknown[]]>([
  ["an outage", { outages: [outage(6, 9)] }, [["no response", 6, 9, "outcomes"]]],
  [
    "failures of one time, and not those of the whole run or of an outage",
    {
      outages: [outage(6, 9)],
      failures: [
        [3, 5],
        [0, 22],
        [6, 9],
      ].map(([firstS = 0, lastS = 0]) => ({
        ...{ op: "chat.stream", outcome: "http_error", status: 500, count: 8, share: 0.1, firstS, lastS },
      })),
    },
    [
      ["500 internal server error", 3, 5, "failures"],
      ["no response", 6, 9, "failures"],
    ],
  ],
  [
    "windows that missed, those next to each other as one, and the recovery",
    {
      slos: [
        {
          ...{ expr: "ttft_p95<90ms in every 2s", observed: 0.8, ok: false },
          missedAt: [
            { fromS: 4, toS: 6 },
            { fromS: 6, toS: 8 },
            { fromS: 16, toS: 18 },
          ],
        },
        {
          ...{ expr: "recovery<9s", observed: null, ok: false },
          recoveries: [
            { after: "outage", atS: 8, tookS: 3 },
            { after: "failures", atS: 19 },
          ],
        },
      ],
    },
    [
      ["missed: ttft_p95<90ms in every 2s", 4, 8, "objectives"],
      ["recovery 3.0 s", 8, 11, "objectives"],
      ["missed: ttft_p95<90ms in every 2s", 16, 18, "objectives"],
      ["not recovered", 19, 22, "objectives"],
    ],
  ],
  [
    "steps of the rate, on the time of the run",
    {
      steps: ["5/s", "10/s"].map((rate, index) => ({
        ...{ rate, fromS: 10 * index, toS: 10 * index + 10, due: 50, failed: 0, notStarted: 0 },
      })),
    },
    [
      ["5/s", 2, 12, "steps"],
      ["10/s", 12, 22, "steps"],
    ],
  ],
  [
    "the seconds in which the load generator was late, by either lateness, and not those of the warm-up",
    {
      windows: windows.map((window) => ({
        ...window,
        ...([1, 7].includes(window.t) && { lagP99Ms: 40 }),
        ...(window.t === 8 && { wakeP90Ms: 12 }),
        ...(window.t === 15 && { wakeP90Ms: 8 }),
      })),
    },
    [["load generator late", 7, 9, "load-generator"]],
  ],
  [
    "times in which it did not run, and stalls",
    {
      interruptions: [{ fromS: 3, toS: 4 }],
      periodicStalls: { ...{ periodS: 5, stallMs: 300, count: 2, firstS: 5 }, endedS: [5, 10] },
    },
    [
      ["load generator stopped", 3, 4, "load-generator"],
      ["periodic stall", 7, 7, "latencies"],
      ["periodic stall", 12, 12, "latencies"],
    ],
  ],
])("marks are %s", (_, more, expected) => expect(findings(more)).toEqual(expected));

const spans = fc.array(
  fc.tuple(fc.double({ min: 0, max: 24, noNaN: true }), fc.double({ min: 0, max: 4, noNaN: true })),
  {
    maxLength: 12,
  },
);

test("whatever happens at once, no mark covers another, and each moment has its mark", () => {
  const least = 0.04 * 24;
  const endOf = ({ from, to }: StripMark): number => Math.max(to, from + least);
  fc.assert(
    fc.property(spans, spans, (silent, stopped) => {
      const outages = silent.map(([fromS, length]) => outage(fromS, fromS + length));
      const interruptions = stopped.map(([fromS, length]) => ({ fromS, toS: fromS + length }));
      const marks = marksOf({ outages, interruptions });
      for (const mark of marks) {
        const others = marks.filter((other) => other !== mark && other.lane === mark.lane && other.from >= mark.from);
        for (const other of others) expect(other.from).toBeGreaterThanOrEqual(endOf(mark) - 1e-5);
      }
      for (const [kind, times] of [["outage", outages] as const, ["stopped", interruptions] as const]) {
        for (const { fromS, toS } of times)
          expect(marks.some((mark) => mark.kind === kind && mark.from <= fromS && toS <= mark.to)).toBe(true);
      }
    }),
  );
});

test("a mark has the label beside it where that has room, and a link with all of its text", () => {
  const text = textOf({ outages: [outage(6, 6.5), outage(23.5, 24)] });
  const marks = [...text.matchAll(/<a class="moment bad( out)?" href="#([^"]*)"[^>]* title="([^"]*)"/g)];
  expect(marks.map(([, ...groups]) => groups)).toEqual([
    [" out", "outcomes", "no response to 9 requests, 6.0 to 6.5 s"],
    [undefined, "outcomes", "no response to 9 requests, 23.5 to 24.0 s"],
  ]);
});

test("failed requests are hatched and seen however few they are, arrivals that never started among them", () => {
  const text = textOf();
  const failed = /style="--c:var\(--bad\)"><path d="([^"]*)"/.exec(text)?.[1] ?? "";
  expect(failed.split("z").filter((box) => box !== "")).toHaveLength(2);
  expect(text).toContain('<pattern id="strip-failed"');
  expect(text).toMatch(/<th>5<td>9<td>1\n/);
  expect(text).toMatch(/<th>9<td>10<td>4\n/);
  const charts = { intervalS: 1, groups: [{ ...group, rates: [ALL_OK], arrivals: [] }] };
  expect(runStrip({ ...run, charts }, [])?.text).not.toContain("failed/s");
});

test("the latency is the one of the objective that was missed, with its bound as a line; else the one of the run", () => {
  const slo = (expr: string, ok: boolean) => ({ expr, observed: 190, ok });
  const [e2e, ttft] = [slo("e2e_p95<1s", true), slo("ttft_p95<180ms", false)];
  const missed = textOf({ slos: [e2e, ttft] });
  expect(missed).toContain("Time to first token, p50 to p99</span>");
  expect(missed).toContain('class="mark objective missed"');
  expect(missed).toContain(">ttft_p95&lt;180ms</span>");
  const far = textOf({ slos: [slo("ttft_p95<9s", true)] });
  expect(far).toContain("above the drawing: ttft_p95&lt;9s");
  expect(far).not.toContain("mark objective");
  const { ttft: figures, ttft_scheduled: _, ...metrics } = run.metrics;
  expect(textOf({ metrics: { ...metrics, ...(figures && { ttft: figures }) } })).toContain(
    "Time to first token, p50 to p99",
  );
});

test("a sentence says what the strip shows, and its data and marks stand below", () => {
  const text = textOf({ outages: [outage(6, 9)], slos: [{ expr: "ttft_p95<180ms", observed: 190, ok: false }] });
  const [, words] = /role="img" aria-label="([^"]*)"/.exec(text) ?? [];
  expect(words).toBe(
    "24 s of the run: up to 10/s ok and 4/s failed; Time to first token, p50 to p99, from 100.0 ms to 200.0 ms (ttft_p95&lt;180ms missed); marked: no response, 6.0 to 9.0 s",
  );
  expect(text).toContain('<li><a href="#outcomes">no response</a>: no response to 9 requests, 6.0 to 9.0 s</li>');
  expect(text.match(/<tr>/g)).toHaveLength(1 + 24);
});

test("workloads that are operations have each request once, and a mixed run a strip", () => {
  const by = (dimension: "workload" | "model", name: string) => ({
    ...group,
    by: dimension,
    name,
    rates: [ALL_OK],
    arrivals: [],
  });
  const groups = [by("workload", "chat"), by("workload", "embeddings"), by("model", "lora")];
  expect(textOf({ charts: { intervalS: 1, groups } })).toMatch(/<th>0<td>18<td>0/);
});

test("a run without charts has no strip", () => {
  const { charts: _, ...older } = run;
  expect(runStrip(older, [])).toBeUndefined();
});
