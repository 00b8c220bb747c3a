/** The plots of a series: each metric result by result, with its intervals, its stretches, and where it changed. */

import { formatChange } from "../compare/change-text.ts";
import { formatDay, formatInstant } from "../numbers.ts";
import type { Layer, Mark, Plot, PlotColour } from "../page/plot.ts";
import { type Axis, fromZero } from "../page/plot-axis.ts";
import type { Series, Trend } from "./build-history.ts";
import { toneOf } from "./history-rows.ts";

/** Days that the axis of results has room for. */
const DAYS = 5;
/** More lines across than this have no room for what they say. */
const MOST_LABELS = 4;

const POINTS: readonly (readonly [name: string, colour: PlotColour])[] = [
  ["passed", "s4"],
  ["failed", "bad"],
  ["inconclusive", "unsure"],
  ["load generator too slow, or run not whole", "s6"],
];

/** The kind of a point, as `POINTS` lists them. */
function kindOfPoint({ points }: Series, index: number, unusable = false): number {
  const line = points[index]?.line;
  if (unusable || line === undefined) return 3;
  return { good: 0, bad: 1, unsure: 2, none: 3 }[toneOf(line)];
}

/** What each unit is multiplied by, and how it is called. */
const shownAs = (unit: string): readonly [factor: number, name: string] =>
  unit === "share" ? [100, "%"] : [1, unit === "count" ? "" : unit];

/** The results by number, from 1, with the days of some. */
function resultAxis({ points }: Series): Axis {
  const every = Math.max(1, Math.ceil(points.length / DAYS));
  const names = points.flatMap(({ line }, index): [number, string][] =>
    index % every === 0 ? [[index + 1, formatDay(line.startedAt).slice(5)]] : [],
  );
  return { scale: "linear", from: 0.5, to: points.length + 0.5, unit: "", names };
}

/** A plot per metric of a load; of conformance runs one. */
export function seriesPlots(series: Series, number: number): Plot[] {
  if (series.points[0]?.line.kind === "conformance") return [conformancePlot(series, number)];
  return series.trends.flatMap((trend, index) => trendPlot(series, trend, `s${number}-${index}`) ?? []);
}

/** undefined: no result has the metric. */
function trendPlot(series: Series, trend: Trend, name: string): Plot | undefined {
  const [factor, unit] = shownAs(trend.unit);
  const values = trend.values.flatMap((value, index) => {
    if (value === undefined) return [];
    const [low = 0, high = null] = value.interval ?? [];
    const ends = high === null ? undefined : ([low * factor, high * factor] as const);
    return [{ at: index + 1, value: value.value * factor, ends, kind: kindOfPoint(series, index, value.unusable) }];
  });
  if (values.length === 0) return undefined;
  const bound = trend.bound === undefined ? undefined : trend.bound * factor;
  const known = values.flatMap(({ value, ends = [] }) => [value, ...ends]);
  const intervals = values.flatMap(({ at, ends }) =>
    ends === undefined ? [] : [[at, ends[0]] as const, [at, ends[1]] as const, [at, null] as const],
  );
  const y = axisAround(known, bound, unit);
  const objective = objectiveOf(bound, unit, y);
  return {
    name,
    title: trend.name,
    caption: `${unit}${unit === "" ? "the" : ", the"} results in their order${objective?.note ?? ""}`,
    x: resultAxis(series),
    y,
    layers: [
      ...linesOf("in which the value lies (95 %)", "s6", intervals, true),
      ...linesOf("mean between two changes", "s1", means(series, trend, factor)),
      ...POINTS.flatMap(([kindName, colour], kind): Layer[] => {
        const own = values.filter((value) => value.kind === kind);
        const points = own.map(({ at, value }) => [at, value] as const);
        return points.length === 0 ? [] : [{ kind: "dots", name: kindName, colour, points }];
      }),
    ],
    marks: [...marksOf(series, trend), ...(objective?.mark ?? [])],
    table: {
      head: ["result", "started", unit === "" ? trend.name : `${trend.name} ${unit}`, "at least", "at most", "verdict"],
      rows: values.map(({ at, value, ends: [low, high] = [null, null] }) => {
        const line = series.points[at - 1]?.line;
        return [at, formatInstant(line?.startedAt ?? ""), value, low, high, line?.verdict ?? ""];
      }),
    },
  };
}

const linesOf = (
  name: string,
  colour: PlotColour,
  points: readonly (readonly [number, number | null])[],
  thin = false,
): Layer[] => (points.length === 0 ? [] : [{ kind: "line", name, colour, thin, points }]);

/** The axis begins at 0 only where values are near it: what changes is seen. */
function axisAround(known: readonly number[], bound: number | undefined, unit: string): Axis {
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const size = Math.max(high - low, Math.abs(high) / 5) || 1;
  const isNear = bound !== undefined && bound > low - size && bound < high + size;
  const from = Math.min(low, isNear ? bound : low) - size / 10;
  return {
    scale: "linear",
    from: low >= 0 ? Math.max(0, from) : from,
    to: Math.max(high, isNear ? bound : high) + size / 10,
    unit,
  };
}

/** The mean of each stretch between changes, where there is a change. */
function means({ points }: Series, { shifts }: Trend, factor: number): [number, number | null][] {
  const stretches = shifts.flatMap(({ at, before, after }, index) => {
    const first = { from: shifts[index - 1]?.at ?? 0, to: at, mean: before };
    return [...(index === 0 ? [first] : []), { from: at, to: shifts[index + 1]?.at ?? points.length, mean: after }];
  });
  return stretches.flatMap(({ from, to, mean }): [number, number | null][] => [
    [from + 1, mean * factor],
    [to, mean * factor],
    [to, null],
  ]);
}

/** A line at the bound of the objective; or a note, where it is too far from the values to be drawn. */
function objectiveOf(bound: number | undefined, unit: string, y: Axis): { mark?: Mark[]; note?: string } | undefined {
  if (bound === undefined) return undefined;
  const label = `objective ${bound}${unit === "" ? "" : ` ${unit}`}`;
  return bound < y.from || bound > y.to
    ? { note: `; ${label} is outside of the picture` }
    : { mark: [{ kind: "y", at: bound, label, missed: false }] };
}

/** Lines where the metric changed, and where the load became another. */
function marksOf({ points }: Series, { shifts, better, scale }: Trend): Mark[] {
  const changes = shifts.map(({ at, change }): Mark => {
    const label = shifts.length > MOST_LABELS ? "" : formatChange(change, scale);
    return { kind: "x", at: at + 0.5, label, missed: change > 0 !== (better === "higher") };
  });
  const loads = points.flatMap(({ isNewLoad }, index): Mark[] =>
    isNewLoad ? [{ kind: "x", at: index + 0.5, label: "", begins: "another load" }] : [],
  );
  return [...changes, ...loads];
}

function conformancePlot(series: Series, number: number): Plot {
  const rows = series.points.map(({ line }, index) => {
    const { failed = [], warned = [] } = line.kind === "conformance" ? line : {};
    return { at: index + 1, started: formatInstant(line.startedAt), failed: failed.length, warned: warned.length };
  });
  const most = rows.map(({ failed, warned }) => Math.max(failed, warned));
  return {
    name: `s${number}-clauses`,
    title: "Clauses that do not hold",
    caption: "number of clauses, the results in their order",
    x: resultAxis(series),
    y: fromZero(most, ""),
    layers: [
      { kind: "line", name: "warnings", colour: "unsure", points: rows.map(({ at, warned }) => [at, warned]) },
      { kind: "line", name: "failed", colour: "bad", points: rows.map(({ at, failed }) => [at, failed]) },
    ],
    table: {
      head: ["result", "started", "failed", "warnings"],
      rows: rows.map(({ at, started, failed, warned }) => [at, started, failed, warned]),
    },
  };
}
