/** The plots of a whole load run: outcomes, requests in flight, the load generator, and what the target reports. */

import type { RunResult, TargetSeries } from "../../../formats/run.ts";
import type { ChartGroup } from "../../../formats/run-charts.ts";
import type { Mark, Plot, PlotColour, SpanTone } from "../../page/plot.ts";
import { type Axis, fromZero, ofTime } from "../../page/plot-axis.ts";
import { ROLE_NAMES, ROLES } from "../metrics/known-series.ts";
import { type Bucket, buckets } from "./buckets.ts";
import { type MomentKind, momentsOf, type Timed, timesOf } from "./moments.ts";

const COLOURS = ["s1", "s2", "s3", "s4", "s5", "s6"] as const;
const colourAt = (index: number): PlotColour => COLOURS[index % COLOURS.length] ?? "s1";

/**
 * What is marked in the plots of a run: see `momentsOf`.
 * @param group whose stalls are meant; absent: of all operations
 */
export const backgroundOf = (run: Timed, group?: ChartGroup): Mark[] => {
  const hasRoom = (run.steps?.length ?? 0) <= MOST_STEPS;
  return momentsOf(run, group).flatMap(({ kind, from, to, label }): Mark[] => {
    if (kind === "step") return hasRoom ? [{ kind: "x", at: from, label }] : [];
    if (kind === "stall") return [{ kind: "tick", at: (from + to) / 2, label }];
    const tone = TONES[kind];
    return tone === undefined ? [] : [{ kind: "span", tone, label, from, to }];
  });
};

/** How a time is marked; failures are drawn as such. */
const TONES: Readonly<Partial<Record<MomentKind, SpanTone>>> = {
  "warm-up": "soft",
  drain: "soft",
  outage: "bad",
  stopped: "stopped",
  late: "stopped",
  missed: "unsteady",
  recovery: "unsteady",
  unsteady: "unsteady",
};

/** More steps than this have no room for their rates. */
const MOST_STEPS = 12;

/** Every plot of the run that there is data for. */
export function runPlots(run: RunResult): Plot[] {
  const points = buckets(run.windows);
  if (points.length === 0) return [];
  const plot = (
    name: string,
    title: string,
    caption: string,
    lines: readonly RunLine[],
    more: Partial<Pick<Plot, "y">> & { unit?: string } = {},
  ) => linesPlot(run, points, { name, title, caption, lines, ...more });
  return [
    outcomes(run, points),
    plot("open", "Requests in flight", "largest number of requests that were open at once", [
      { name: "in flight", colour: "s1", of: ({ open }) => open },
    ]),
    plot(
      "cpu",
      "CPU of the load generator",
      `cores used${run.client.cpus === undefined ? "" : ` of ${run.client.cpus}`}`,
      [{ name: "cores", colour: "s3", of: ({ cpu }) => cpu }],
      {
        ...(run.client.cpus !== undefined && { y: fromZero([run.client.cpus], "cores") }),
        unit: "cores",
      },
    ),
    plot("tasks", "Open video tasks", "tasks that were open at once, on average", [
      { name: "open tasks", colour: "s1", of: ({ tasks }) => tasks },
    ]),
    plot(
      "polls",
      "Polls of video tasks",
      "polls that were sent per second",
      [
        {
          name: "polls/s",
          colour: "s2",
          of: ({ polls, seconds }) => (polls === undefined ? undefined : polls / seconds),
        },
      ],
      { unit: "/s" },
    ),
    ...targetPlots(run),
  ].filter((each) => each !== undefined);
}

interface RunLine {
  readonly name: string;
  readonly colour: PlotColour;
  readonly of: (point: Bucket) => number | undefined;
}

interface Lines extends Pick<Plot, "name" | "title" | "caption"> {
  readonly lines: readonly RunLine[];
  readonly y?: Axis;
  readonly unit?: string;
}

/** Lines over time; undefined without a value. */
function linesPlot(
  run: RunResult,
  points: readonly Bucket[],
  { name, title, caption, lines, y, unit = "" }: Lines,
): Plot | undefined {
  const values = points.flatMap((point) => lines.flatMap(({ of }) => of(point) ?? []));
  if (values.length === 0) return undefined;
  const { from, to } = timesOf(run);
  return {
    name,
    title,
    caption,
    x: ofTime(from, to),
    y: y ?? fromZero(values, unit),
    layers: lines.map(({ name: line, colour, of }) => ({
      kind: "line",
      name: line,
      colour,
      points: points.map((point) => [point.middle, of(point) ?? null] as const),
    })),
    marks: backgroundOf(run),
    table: {
      head: ["from second", ...lines.map((line) => line.name)],
      rows: points.map((point) => [point.t, ...lines.map(({ of }) => of(point) ?? null)]),
    },
  };
}

/** Outcomes stacked: those other than ok at the bottom, most frequent first; those beyond the colours share one. */
function outcomes(run: RunResult, points: readonly Bucket[]): Plot {
  const totals = new Map<string, number>();
  for (const { outcomes: counts } of points)
    for (const [name, count] of Object.entries(counts)) totals.set(name, (totals.get(name) ?? 0) + count);
  const others = [...totals].filter(([name]) => name !== "ok").sort(([, a], [, b]) => b - a);
  const colours = ["bad", "s2", "s3", "s5", "s1"] as const;
  const shown: (readonly [string, PlotColour])[] = [
    ...others.map(([name], index) => [name, colours[index] ?? "s6"] as const),
    ["ok", "s4"],
  ];
  const rateOf = (point: Bucket, name: string): number => (point.outcomes[name] ?? 0) / point.seconds;
  const below = (point: Bucket, index: number): number =>
    shown.slice(0, index).reduce((sum, [name]) => sum + rateOf(point, name), 0);
  const { from, to } = timesOf(run);
  return {
    name: "outcomes",
    title: "Outcomes over time",
    caption: "requests of all operations per second by outcome, stacked, by when they ended",
    x: ofTime(from, to),
    y: fromZero(
      points.map((point) => below(point, shown.length)),
      "/s",
    ),
    layers: shown.map(([name, colour], index) => ({
      kind: "boxes",
      name,
      colour,
      boxes: points.flatMap((point) => {
        const [low, rate] = [below(point, index), rateOf(point, name)];
        return rate === 0
          ? []
          : [
              {
                x: [point.t + 0.06 * point.seconds, point.t + 0.94 * point.seconds] as const,
                y: [low, low + rate] as const,
              },
            ];
      }),
    })),
    marks: backgroundOf(run),
    table: {
      head: ["from second", ...shown.map(([name]) => `${name} /s`)],
      rows: points.map((point) => [point.t, ...shown.map(([name]) => rateOf(point, name))]),
    },
  };
}

/** Plots of further series of the target at most; the others are in the table. */
const MOST_TARGET_PLOTS = 4;

/** What the target reports of itself, on the time axis of the others. */
function targetPlots(run: RunResult): (Plot | undefined)[] {
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
  const inPercent = (cache ?? []).map(({ name, points }) => ({
    name,
    points: points.map(([t, share]): [number, number] => [t, share * 100]),
  }));
  return [
    targetPlot(run, {
      name: "target-requests",
      title: "Target: waiting and running requests",
      caption: "as the target counts them",
      lines: [...(queue ?? []), ...(running ?? [])],
    }),
    targetPlot(run, {
      name: "target-cache",
      title: "Target: cache usage",
      caption: "share of its cache that is used, as the target reports",
      lines: inPercent,
      unit: "%",
    }),
    ...names.slice(0, MOST_TARGET_PLOTS).map((name, index) =>
      targetPlot(run, {
        name: `target-${index}`,
        title: `Target: ${name}`,
        caption: "as the target reports",
        lines: of(
          ({ role, name: own }) => role === undefined && metricName(own) === name,
          ({ name: own }) => own,
        ),
      }),
    ),
  ];
}

const metricName = (series: string): string => series.split("{", 1)[0] ?? series;

interface TargetPlot extends Pick<Plot, "name" | "title" | "caption"> {
  readonly lines: readonly { readonly name: string; readonly points: TargetSeries["points"] }[];
  readonly unit?: string;
}

/** Lines beyond the colours are left out, which the caption says. */
function targetPlot(run: RunResult, { name, title, caption, lines, unit = "" }: TargetPlot): Plot | undefined {
  if (lines.length === 0) return undefined;
  const drawn = lines.slice(0, COLOURS.length);
  const left = lines.length - drawn.length;
  const { from, to } = timesOf(run);
  const times = [...new Set(drawn.flatMap(({ points }) => points.map(([t]) => t)))].toSorted((a, b) => a - b);
  const byTime = drawn.map(({ points }) => new Map(points));
  return {
    name,
    title,
    caption: left > 0 ? `${caption}; ${left} more in the table` : caption,
    x: ofTime(from, to),
    y: fromZero(
      drawn.flatMap(({ points }) => points.map(([, value]) => value)),
      unit,
    ),
    layers: drawn.map((each, index) => ({
      kind: "line",
      name: each.name,
      colour: colourAt(index),
      points: each.points,
    })),
    marks: backgroundOf(run),
    table: {
      head: ["second", ...drawn.map((each) => each.name)],
      rows: times.map((t) => [t, ...byTime.map((values) => values.get(t) ?? null)]),
    },
  };
}
