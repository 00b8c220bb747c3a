/** The plots of a group over time: latencies, requests, gaps and tokens. */

import type { RunResult } from "../../../formats/run.ts";
import type { ChartSeries } from "../../../formats/run-charts.ts";
import type { NotableRequest } from "../../../formats/run-requests.ts";
import { type MetricName, metric, STALL_MS } from "../../../load/objectives/metrics.ts";
import { formatNumber, plural } from "../../numbers.ts";
import type { BandPoint, Layer, Plot } from "../../page/plot.ts";
import { aroundLog, fromZero, ofTime } from "../../page/plot-axis.ts";
import { phaseOf, timesOf } from "./moments.ts";
import { dotsOf, marksWithin, type Objective, objectivesOf, type PlottedGroup, titleOf } from "./plotted-group.ts";
import { backgroundOf } from "./run-plots.ts";

/** What a request that is listed has of a metric. */
const OWN: Readonly<Partial<Record<MetricName, (request: NotableRequest) => number | undefined>>> = {
  ttft: ({ ttftMs }) => ttftMs,
  ttft_scheduled: ({ ttftMs, lateMs = 0 }) => ttftMs && ttftMs + lateMs,
  icl: ({ gapMs }) => gapMs,
  e2e: ({ e2eMs }) => e2eMs,
  e2e_scheduled: ({ e2eMs, lateMs = 0 }) => e2eMs && e2eMs + lateMs,
};

export function overTime(of: PlottedGroup, name: MetricName): Plot[] {
  const series = of.group.series[name];
  if (series === undefined || series.intervals.length === 0) return [];
  const { run, id } = of;
  const { from, to } = timesOf(run);
  const own = OWN[name];
  const dots = dotsOf(of, (request) => {
    const ms = request.outcome === "ok" ? own?.(request) : undefined;
    return ms === undefined ? undefined : [request.sentS, ms];
  });
  const { samples } = series;
  const half = halfOf(run);
  const values = [...series.intervals.map(([, , , , , max]) => max), ...dots.map(({ y }) => y)];
  const unit = metric(name).unit;
  const objectives = objectivesOf(of, name);
  const y = latencyAxis(series, values, objectives, unit);
  const { marks, note } = marksWithin(objectives, y.to);
  const second = metric(name).scheduled ? "was due" : name === "icl" ? "had the later chunk" : "was sent";
  const subject =
    samples !== undefined
      ? `each of ${plural(series.count, "sample")} as a dot`
      : `by interval of ${formatNumber(run.charts?.intervalS ?? 1)} s in which it ${second}`;
  const intervals = objectives.flatMap(({ lies }) =>
    lies === undefined ? [] : [intervalOf(lies, phaseOf(run.windows, "measure"))],
  );
  const line = (index: 2 | 3 | 4) => withBreaks(series, half, (interval) => interval[index]);
  return [
    {
      name: `${id}-${name}-time`,
      title: `${titleOf(name)} over time`,
      caption: `${unit}, ok requests, ${subject}${note}`,
      x: ofTime(from, to),
      y,
      layers:
        samples !== undefined
          ? [{ kind: "dots", name: "sample", colour: "s1", points: samples.map(({ t, ms }) => [t, ms] as const) }]
          : [
              ...intervals,
              { kind: "band", name: "p95 to p99", colour: "s2", points: bandOf(series, half, 3, 4) },
              { kind: "band", name: "p50 to p95", colour: "s1", points: bandOf(series, half, 2, 3) },
              { kind: "line", name: "p50", colour: "s1", points: line(2) },
              { kind: "line", name: "p99", colour: "s2", points: line(4), thin: true },
              {
                kind: "dots",
                name: "max",
                colour: "s6",
                points: series.intervals.map(([t, , , , , max]) => [t + half, max] as const),
              },
            ],
      marks: [...backgroundOf(run, of.group), ...marks],
      dots,
      table:
        samples !== undefined
          ? {
              head: ["second", `${name} ${unit}`, "request"],
              rows: samples.map(({ t, ms, id: request }) => [t, ms, request ?? ""]),
            }
          : { head: ["from second", "samples", "p50 ms", "p95", "p99", "max"], rows: series.intervals },
    },
  ];
}

/** Where a statistic of the measured time lies, by an objective on it. */
const intervalOf = (
  { of, between }: NonNullable<Objective["lies"]>,
  { from, to }: { readonly from: number; readonly to: number },
): Layer => ({
  kind: "band",
  name: `${of} of the target`,
  colour: "s4",
  points: [
    [from, ...between],
    [to, ...between],
  ],
});

/** Half of an interval of the charts, in seconds. */
export const halfOf = ({ charts }: RunResult): number => (charts?.intervalS ?? 1) / 2;

/** A wide spread is drawn on a logarithmic axis. */
const WIDE = 40;

/** The axis of a latency, with the bounds of objectives that are near its values. */
export function latencyAxis(
  { intervals }: ChartSeries,
  values: readonly number[],
  objectives: readonly Objective[],
  unit: string,
) {
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  const medians = intervals.map(([, , p50]) => p50).toSorted((a, b) => a - b);
  const median = medians[Math.floor(medians.length / 2)] ?? most;
  const near = objectives.map(({ bound }) => bound).filter((bound) => bound <= 3 * most);
  if (median > 0 && most > WIDE * median)
    return aroundLog([...intervals.map(([, , p50]) => p50), ...values, ...near], unit);
  return fromZero([...values, ...near], unit);
}

/** The line breaks where an interval has no samples. */
function withBreaks(
  { intervals }: ChartSeries,
  half: number,
  placeOf: (interval: ChartSeries["intervals"][number]) => number,
): (readonly [number, number | null])[] {
  return intervals.flatMap((interval, index) => {
    const [t] = interval;
    const gap = isApart(intervals, index, half) ? [[t - half, null] as const] : [];
    return [...gap, [t + half, placeOf(interval)] as const];
  });
}

/** Whether intervals without samples lie before one; a single one, as low rates have many, is bridged. */
function isApart(intervals: ChartSeries["intervals"], index: number, half: number): boolean {
  const before = intervals[index - 1]?.[0];
  const [t] = intervals[index] ?? [0];
  return before !== undefined && t - before > 5 * half;
}

/** What lies between two statistics, each a place of an interval. */
export const bandOf = ({ intervals }: ChartSeries, half: number, low: 2 | 3, high: 3 | 4): BandPoint[] =>
  intervals.flatMap((interval, index) => {
    const gap = isApart(intervals, index, half) ? [null] : [];
    return [...gap, [interval[0] + half, interval[low], interval[high]] as const];
  });

export function ratesOf({ run, group, id }: PlottedGroup): Plot {
  const { from, to } = timesOf(run);
  const half = halfOf(run);
  const isTask = group.op === "video";
  const what = isTask ? "tasks" : "requests";
  const due = group.arrivals ?? [];
  const dueAt = new Map(due.map(([t, offered, started]) => [t, [offered, started] as const]));
  const values = [
    ...group.rates.flatMap(([, sent, ok, failed]) => [sent, ok, failed]),
    ...due.map(([, offered]) => offered),
  ];
  const hasFailed = group.rates.some(([, , , failed]) => failed > 0);
  return {
    name: `${id}-rates`,
    title: `${isTask ? "Tasks" : "Requests"} over time`,
    caption: `${what} per second${due.length > 0 ? ", and those that were scheduled" : ""}; ok and failed by when they ended`,
    x: ofTime(from, to),
    y: fromZero(values, "/s"),
    layers: [
      ...(due.length === 0
        ? []
        : [
            {
              kind: "line",
              name: "offered",
              colour: "s6",
              points: due.map(([t, offered]) => [t + half, offered] as const),
            } as const,
          ]),
      {
        kind: "line",
        name: "started",
        colour: "s1",
        thin: true,
        points: group.rates.map(([t, sent]) => [t + half, sent] as const),
      },
      { kind: "line", name: "ok", colour: "s4", points: group.rates.map(([t, , ok]) => [t + half, ok] as const) },
      ...(hasFailed
        ? [
            {
              kind: "line",
              name: "failed",
              colour: "bad",
              points: group.rates.map(([t, , , failed]) => [t + half, failed] as const),
            } as const,
          ]
        : []),
    ],
    marks: backgroundOf(run, group),
    dots: dotsOf({ run, group, id }, ({ outcome, sentS, e2eMs = 0 }) =>
      outcome === "ok" ? undefined : [sentS + e2eMs / 1_000, 0],
    ),
    table: {
      head: ["from second", "offered /s", "started /s", "ok /s", "failed /s"],
      rows: group.rates.map(([t, sent, ok, failed]) => [t, dueAt.get(t)?.[0] ?? null, sent, ok, failed]),
    },
  };
}

/** How often gaps of each length occurred over time. */
export function gapsOf({ run, group, id }: PlottedGroup): Plot[] {
  const { gaps = [], series, rates } = group;
  const intervals = series["icl"]?.intervals ?? [];
  if (gaps.length === 0) return [];
  const { from, to } = timesOf(run);
  const width = 2 * halfOf(run);
  // A gap of 0 has no place on a logarithmic axis: it is drawn with those of 10 µs.
  const LEAST = 0.01;
  const most = gaps.reduce((max, [, , , count]) => Math.max(max, count), 1);
  const stalls = new Map(rates.map(([t, , , , , count]) => [t, count]));
  const y = aroundLog(
    gaps.flatMap(([, low, high]) => [Math.max(low, LEAST), Math.max(high, LEAST)]),
    "ms",
  );
  return [
    {
      name: `${id}-gaps`,
      title: "Gaps between chunks over time",
      caption: `ms, logarithmic; the darker, the more gaps of that length; a gap of more than ${STALL_MS} ms is a stall`,
      x: ofTime(from, to),
      y,
      layers: [
        {
          kind: "boxes",
          name: "gaps",
          colour: "s3",
          boxes: gaps.map(([t, low, high, count]) => ({
            x: [t, t + width],
            y: [Math.max(low, LEAST), Math.max(high, 1.2 * LEAST)],
            strength: Math.log1p(count) / Math.log1p(most),
          })),
        },
      ],
      marks: [
        ...backgroundOf(run, group),
        ...(STALL_MS <= y.to ? [{ kind: "y", at: STALL_MS, label: "stall", missed: false } as const] : []),
      ],
      table: {
        head: ["from second", "gaps", "p50 ms", "p99", "max", "stalls"],
        rows: intervals.map(([t, count, p50, , p99, max]) => [t, count, p50, p99, max, stalls.get(t) ?? 0]),
      },
    },
  ];
}

export function tokensOf({ run, group, id }: PlottedGroup): Plot[] {
  if (!group.rates.some(([, , , , tokens]) => tokens > 0)) return [];
  const { from, to } = timesOf(run);
  const points = group.rates.map(([t, , , , tokens]) => [t + halfOf(run), tokens] as const);
  return [
    {
      name: `${id}-tokens`,
      title: "Output tokens over time",
      caption: "tokens per second of ok requests, by when their chunks came",
      x: ofTime(from, to),
      y: fromZero(
        points.map(([, tokens]) => tokens),
        "/s",
      ),
      layers: [{ kind: "line", name: "tokens/s", colour: "s4", points }],
      marks: backgroundOf(run, group),
      table: { head: ["from second", "tokens/s"], rows: group.rates.map(([t, , , , tokens]) => [t, tokens]) },
    },
  ];
}
