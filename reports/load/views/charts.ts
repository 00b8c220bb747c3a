/** The charts of a load run, as data for the drawing. */

import type { RunResult } from "../../../formats/run.ts";
import { metric } from "../../../scenarios/metrics.ts";
import { type Chart, COLOURS, type Colour, FRAME, timeAxis, valueAxis } from "../../page/chart.ts";
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
    health(run, points),
  ].filter((chart) => chart !== undefined);
}

/** Distance of a share from all, in powers of ten: 90% is 1, 99% is 2. */
const nines = (share: number): number => Number((-Math.log10(1 - share)).toFixed(6));
const ninesLabel = (value: number): string => (value === 0 ? "0%" : `${100 - 100 / 10 ** value}%`);

function percentiles({ curves }: RunResult): Chart | undefined {
  const names = Object.keys(curves);
  if (names.length === 0) return undefined;
  const furthest = Math.max(...names.flatMap((name) => (curves[name] ?? []).map(([share]) => nines(share))));
  return {
    name: "percentiles",
    title: "Latency by percentile",
    caption:
      "ms, requests with the outcome ok; each curve ends where fewer than ten samples lie beyond it, and one from the scheduled start at the share of arrivals that started",
    legend: names.map((name, index) => [name, colourAt(index)] as const),
    option: {
      ...FRAME,
      xAxis: valueAxis({
        interval: 1,
        max: Math.max(1, Math.ceil(furthest)),
        splitLine: { show: false },
        axisLabel: { color: COLOURS.dim, fontSize: 11, formatter: ninesLabel },
      }),
      yAxis: valueAxis(),
      series: names.map((name, index) => ({
        ...line,
        name,
        color: colourAt(index),
        data: (curves[name] ?? []).map(([share, value]) => [nines(share), value]),
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

function health(run: RunResult, points: readonly Bucket[]): Chart | undefined {
  if (!points.some(({ cpu, open }) => cpu !== undefined || open !== undefined)) return undefined;
  const { background: _, ...frame } = overTime(run, points);
  const of = (read: (point: Bucket) => number | undefined) =>
    points.map((point) => [point.middle, read(point) ?? null]);
  return {
    name: "client",
    title: "Load generator",
    caption: "CPU cores used (left) and requests in flight (right)",
    legend: [
      ["CPU cores", COLOURS.s3],
      ["in flight", COLOURS.s6],
    ],
    option: {
      ...frame,
      yAxis: [
        valueAxis(run.client.cpus === undefined ? {} : { max: run.client.cpus }),
        valueAxis({ splitLine: { show: false } }),
      ],
      series: [
        { ...line, name: "CPU cores", color: COLOURS.s3, data: of(({ cpu }) => cpu) },
        { ...line, name: "in flight", yAxisIndex: 1, color: COLOURS.s6, data: of(({ open }) => open) },
      ],
    },
  };
}
