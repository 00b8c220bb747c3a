/** The charts of a load run, as data for the drawing. */

import type { RunResult, TargetSeries } from "../../../formats/run.ts";
import { metric } from "../../../scenarios/metrics.ts";
import { type Chart, COLOURS, type Colour, FRAME, timeAxis, valueAxis } from "../../page/chart.ts";
import { ROLE_NAMES, ROLES } from "../metrics/known-series.ts";
import { HEADLINE_LATENCIES } from "../metrics/request-metrics.ts";
import { type Bucket, buckets } from "./buckets.ts";

const SERIES = [COLOURS.s1, COLOURS.s2, COLOURS.s3, COLOURS.s4, COLOURS.s5, COLOURS.s6] as const;
const colourAt = (index: number): Colour => SERIES[index % SERIES.length] ?? COLOURS.s1;
const line = { type: "line" as const, showSymbol: false, lineStyle: { width: 1.8 } };

/** Every chart that the run has data for. */
export function loadCharts(run: RunResult): Chart[] {
  const points = buckets(run.windows);
  return [
    percentiles(run),
    ...HEADLINE_LATENCIES.map((names) => latencyOverTime(run, points, names)),
    throughput(run, points),
    outcomes(run, points),
    videoTasks(run, points),
    health(run, points),
    ...targetCharts(run, points),
  ].filter((chart) => chart !== undefined);
}

/** Distance of a share from all, in powers of ten: 90% is 1, 99% is 2. */
const nines = (share: number): number => Number((-Math.log10(1 - share)).toFixed(6));
const ninesLabel = (value: number): string => (value === 0 ? "0%" : `${100 - 100 / 10 ** value}%`);

type Curve = readonly (readonly [share: number, value: number])[];

/** The points of a percentile curve on the axis of percentiles. */
export const percentilePoints = (curve: Curve): [number, number][] =>
  curve.map(([share, value]) => [nines(share), value]);

/** An axis for percentile curves, as long as the longest of them. */
export function percentileAxis(curves: readonly Curve[]) {
  const furthest = Math.max(...curves.flatMap((curve) => curve.map(([share]) => nines(share))));
  return valueAxis({
    interval: 1,
    max: Math.max(1, Math.ceil(furthest)),
    splitLine: { show: false },
    axisLabel: { color: COLOURS.dim, fontSize: 11, formatter: ninesLabel },
  });
}

function percentiles({ curves }: RunResult): Chart | undefined {
  const names = Object.keys(curves);
  if (names.length === 0) return undefined;
  return {
    name: "percentiles",
    title: "Latency by percentile",
    caption:
      "ms, requests with the outcome ok; each curve ends where fewer than ten samples lie beyond it, and one from the scheduled start at the share of arrivals that started",
    legend: names.map((name, index) => [name, colourAt(index)] as const),
    option: {
      ...FRAME,
      xAxis: percentileAxis(Object.values(curves)),
      yAxis: valueAxis(),
      series: names.map((name, index) => ({
        ...line,
        name,
        color: colourAt(index),
        data: percentilePoints(curves[name] ?? []),
      })),
    },
  };
}

/** Warm-up, drain and outages behind a chart over time. */
function background({ windows, outages }: RunResult) {
  const areas: [Record<string, unknown>, Record<string, unknown>][] = [];
  for (const phase of ["warmup", "drain"]) {
    const seconds = windows.filter((window) => window.phase === phase).map(({ t }) => t);
    const first = seconds[0];
    const last = seconds.at(-1);
    if (first === undefined || last === undefined) continue;
    areas.push([{ xAxis: first, itemStyle: { color: COLOURS.soft } }, { xAxis: last + 1 }]);
  }
  for (const { fromS, toS } of outages) {
    areas.push([{ xAxis: fromS, itemStyle: { color: COLOURS.bad, opacity: 0.18 } }, { xAxis: toS }]);
  }
  return areas.length === 0 ? {} : { markArea: { silent: true, data: areas } };
}

function overTime(run: RunResult, points: readonly Bucket[]) {
  const last = points.at(-1);
  return { ...FRAME, xAxis: timeAxis(0, last === undefined ? 1 : last.t + last.seconds), background: background(run) };
}

/** Of a latency and its form from the scheduled start, the one that an open loop has. */
function latencyOverTime(
  run: RunResult,
  points: readonly Bucket[],
  names: (typeof HEADLINE_LATENCIES)[number],
): Chart | undefined {
  const name = names.find((candidate) => points.some((point) => point[candidate] !== undefined));
  if (name === undefined) return undefined;
  const { title, scheduled } = metric(name);
  const second = scheduled ? "its arrival was due" : "it was sent";
  const { background: behind, ...frame } = overTime(run, points);
  const of = (figure: "min" | "mean" | "max") => points.map((point) => [point.middle, point[name]?.[figure] ?? null]);
  return {
    name: names[1],
    title: `${title}, over time`,
    caption: `ms, each request with the outcome ok by the second in which ${second}; grey: warm-up and drain, red: no response`,
    legend: [
      ["max", COLOURS.s2],
      ["mean", COLOURS.s1],
      ["min", COLOURS.s6],
    ],
    option: {
      ...frame,
      yAxis: valueAxis(),
      series: [
        {
          ...line,
          name: "max",
          color: COLOURS.s2,
          lineStyle: { width: 1, type: "dashed" },
          data: of("max"),
          ...behind,
        },
        { ...line, name: "mean", color: COLOURS.s1, lineStyle: { width: 2.2 }, data: of("mean") },
        { ...line, name: "min", color: COLOURS.s6, lineStyle: { width: 1, type: "dashed" }, data: of("min") },
      ],
    },
  };
}

function throughput(run: RunResult, points: readonly Bucket[]): Chart | undefined {
  if (points.length === 0) return undefined;
  const { background: behind, ...frame } = overTime(run, points);
  const rate = (of: (point: Bucket) => number) => points.map((point) => [point.middle, of(point) / point.seconds]);
  return {
    name: "throughput",
    title: "Requests over time",
    caption: "per second: arrivals that were due, requests that were sent, and those that ended with the outcome ok",
    legend: [
      ["due", COLOURS.s2],
      ["sent", COLOURS.s6],
      ["ok", COLOURS.s4],
    ],
    option: {
      ...frame,
      yAxis: valueAxis(),
      series: [
        { ...line, name: "due", color: COLOURS.s2, data: rate(({ due }) => due), ...behind },
        { ...line, name: "sent", color: COLOURS.s6, data: rate(({ sent }) => sent) },
        { ...line, name: "ok", color: COLOURS.s4, data: rate(({ ok }) => ok) },
      ],
    },
  };
}

/** Outcomes other than ok, most frequent first; those beyond the colours share one. */
function outcomes(run: RunResult, points: readonly Bucket[]): Chart | undefined {
  if (points.length === 0) return undefined;
  const { background: _, ...frame } = overTime(run, points);
  const totals = new Map<string, number>();
  for (const { outcomes: counts } of points) {
    for (const [name, count] of Object.entries(counts)) totals.set(name, (totals.get(name) ?? 0) + count);
  }
  const others = [...totals].filter(([name]) => name !== "ok").sort(([, a], [, b]) => b - a);
  const colours = [COLOURS.bad, COLOURS.s2, COLOURS.s3, COLOURS.s5, COLOURS.s1];
  const shown: (readonly [string, Colour])[] = [
    ["ok", COLOURS.s4],
    ...others.map(([name], index) => [name, colours[index] ?? COLOURS.s6] as const),
  ];
  return {
    name: "outcomes",
    title: "Outcomes over time",
    caption: "requests/s by outcome, stacked",
    legend: shown,
    option: {
      ...frame,
      yAxis: valueAxis(),
      series: shown.map(([name, colour]) => ({
        type: "bar" as const,
        name,
        stack: "all",
        barCategoryGap: "15%",
        color: colour,
        data: points.map((point) => [point.middle, (point.outcomes[name] ?? 0) / point.seconds]),
      })),
    },
  };
}

function videoTasks(run: RunResult, points: readonly Bucket[]): Chart | undefined {
  return twoAxes(run, points, {
    name: "video",
    title: "Video tasks over time",
    caption: "tasks that were open at once (left), and polls that were sent per second (right)",
    left: { name: "open tasks", colour: COLOURS.s1, of: ({ tasks }) => tasks },
    right: {
      name: "polls/s",
      colour: COLOURS.s2,
      of: ({ polls, seconds }) => (polls === undefined ? undefined : polls / seconds),
    },
    behind: true,
  });
}

function health(run: RunResult, points: readonly Bucket[]): Chart | undefined {
  return twoAxes(run, points, {
    name: "client",
    title: "Load generator",
    caption: "CPU cores used (left) and requests in flight (right)",
    left: { name: "CPU cores", colour: COLOURS.s3, of: ({ cpu }) => cpu, most: run.client.cpus },
    right: { name: "in flight", colour: COLOURS.s6, of: ({ open }) => open },
  });
}

interface AxisLine {
  readonly name: string;
  readonly colour: Colour;
  readonly of: (point: Bucket) => number | undefined;
  /** Where its axis ends; absent: at the largest value. */
  readonly most?: number | undefined;
}

interface TwoAxes extends Pick<Chart, "name" | "title" | "caption"> {
  readonly left: AxisLine;
  readonly right: AxisLine;
  /** Whether warm-up, drain and outages are shown. */
  readonly behind?: boolean;
}

/** Two lines over time, each with an axis of its own; undefined without a value. */
function twoAxes(
  run: RunResult,
  points: readonly Bucket[],
  { name, title, caption, left, right, behind = false }: TwoAxes,
): Chart | undefined {
  const lines = [left, right];
  if (!points.some((point) => lines.some(({ of }) => of(point) !== undefined))) return undefined;
  const { background: areas, ...frame } = overTime(run, points);
  return {
    name,
    title,
    caption,
    legend: lines.map((each) => [each.name, each.colour] as const),
    option: {
      ...frame,
      yAxis: lines.map(({ most }, index) =>
        valueAxis({
          ...(index > 0 && { splitLine: { show: false } }),
          ...(most !== undefined && { max: most }),
        }),
      ),
      series: lines.map(({ name: lineName, colour, of }, index) => ({
        ...line,
        name: lineName,
        ...(index > 0 && { yAxisIndex: index }),
        color: colour,
        data: points.map((point) => [point.middle, of(point) ?? null]),
        ...(index === 0 && behind && areas),
      })),
    },
  };
}

/** Charts of further series of the target at most; the others are in the table. */
const MOST_TARGET_CHARTS = 4;

/** What the target told of itself, on the time axis of the others. */
function targetCharts(run: RunResult, points: readonly Bucket[]): Chart[] {
  const sources = run.targetMetrics ?? [];
  const lineName = (source: string, name: string): string => (sources.length > 1 ? `${name}, ${source}` : name);
  const of = (wanted: (series: TargetSeries) => boolean, nameOf: (series: TargetSeries) => string) =>
    sources.flatMap(({ source, series }) =>
      series.filter(wanted).map((each) => ({ name: lineName(source, nameOf(each)), points: each.points })),
    );
  const titleOf = ({ role }: TargetSeries): string => (role === undefined ? "" : ROLES[role].title);
  const [queue, running, cache] = ROLE_NAMES.map((role) => of((series) => series.role === role, titleOf));
  const names = [
    ...new Set(sources.flatMap(({ series }) => series.flatMap(({ role, name }) => (role ? [] : [metricName(name)])))),
  ];
  return [
    targetChart(run, points, {
      name: "target-requests",
      title: "Target: waiting and running requests",
      caption: "as the target counts them",
      lines: [...(queue ?? []), ...(running ?? [])],
    }),
    targetChart(run, points, {
      name: "target-cache",
      title: "Target: cache usage",
      caption: "share of its cache that is used, as the target tells",
      lines: cache ?? [],
      axis: { min: 0, axisLabel: { color: COLOURS.dim, fontSize: 11, formatter: percent } },
    }),
    ...names.slice(0, MOST_TARGET_CHARTS).map((name, index) =>
      targetChart(run, points, {
        name: `target-${index}`,
        title: `Target: ${name}`,
        caption: "as the target tells",
        lines: of(
          ({ role, name: own }) => role === undefined && metricName(own) === name,
          ({ name: own }) => own,
        ),
      }),
    ),
  ].filter((chart) => chart !== undefined);
}

const metricName = (series: string): string => series.split("{", 1)[0] ?? series;
const percent = (share: number): string => `${Number((share * 100).toFixed(1))}%`;

interface TargetChart extends Pick<Chart, "name" | "title" | "caption"> {
  readonly lines: readonly { readonly name: string; readonly points: TargetSeries["points"] }[];
  readonly axis?: Readonly<Record<string, unknown>>;
}

/** Lines beyond the colours are left out, which the caption says. */
function targetChart(
  run: RunResult,
  points: readonly Bucket[],
  { name, title, caption, lines, axis }: TargetChart,
): Chart | undefined {
  if (lines.length === 0) return undefined;
  const drawn = lines.slice(0, SERIES.length);
  const { background: behind, ...frame } = overTime(run, points);
  const left = lines.length - drawn.length;
  return {
    name,
    title,
    caption: left > 0 ? `${caption}; ${left} more in the table` : caption,
    legend: drawn.map((each, index) => [each.name, colourAt(index)] as const),
    option: {
      ...frame,
      yAxis: valueAxis(axis),
      series: drawn.map((each, index) => ({
        ...line,
        name: each.name,
        color: colourAt(index),
        data: each.points.map(([t, value]) => [t, value]),
        ...(index === 0 && behind),
      })),
    },
  };
}
