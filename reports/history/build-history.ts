/** From the lines of a history to its series: the results that belong together, in the order of time, and where they changed. */

import type { HistoryLine, TrendValue } from "../../formats/history.ts";
import type { ChangePoint, HistorySummary } from "../../formats/history-summary.ts";
import type { Tags } from "../../settings/label-table.ts";
import { type Scale, type Shift, shiftsIn } from "./change-points.ts";
import { objectiveOf, subjectIn } from "./history-line.ts";
import { differencesBetween, haveOneLoad } from "./result-differences.ts";

/** A result in a series. */
export interface Point {
  readonly line: HistoryLine;
  /** What changed since the one before it, apart from what was measured. */
  readonly differences: readonly string[];
  /** Whether its load is another than that of the one before it: their figures cannot be compared. */
  readonly isNewLoad: boolean;
}

/** A metric over the results of a series. */
export interface Trend extends Pick<TrendValue, "name" | "unit" | "better"> {
  readonly scale: Scale;
  /** One per result; undefined where it was not measured. */
  readonly values: readonly (TrendValue | undefined)[];
  readonly shifts: readonly Shift[];
  /** That of the last objective on it, in its unit. */
  readonly bound?: number;
}

/** Results that belong together. */
export interface Series {
  readonly name: string;
  /** What the last of them was. */
  readonly about: string;
  readonly points: readonly Point[];
  readonly trends: readonly Trend[];
}

export interface History {
  readonly summary: HistorySummary;
  readonly series: readonly Series[];
}

/** A steady series may show any change at most with this probability, if its results do not depend on each other. */
const ALPHA = 0.05;

/** Whether a result has one of the wanted values of each wanted tag. */
export const hasTags = ({ tags = {} }: HistoryLine, wanted: readonly Tags[]): boolean => {
  const names = [...new Set(wanted.flatMap(Object.keys))];
  return names.every((name) => wanted.some((tag) => Object.hasOwn(tag, name) && tags[name] === tag[name]));
};

/** @param unreadable what could not be read, a sentence each */
export function buildHistory(lines: readonly HistoryLine[], tool: string, unreadable: readonly string[] = []): History {
  const results = lines.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt) || (a.id < b.id ? -1 : 1));
  const series = grouped(results).map(seriesOf);
  const changes = series.flatMap(changesOf).toSorted(worseAndLatestFirst);
  return {
    summary: { schema: "assay.history-summary/1", tool, results, changes, unreadable: [...unreadable] },
    series,
  };
}

/** Of one name and kind; those without a name only if their loads are the same. */
function grouped(results: readonly HistoryLine[]): HistoryLine[][] {
  const groups: HistoryLine[][] = [];
  for (const line of results) {
    const belongs = ([first]: HistoryLine[]): boolean =>
      first !== undefined &&
      first.kind === line.kind &&
      first.title === line.title &&
      first.name === line.name &&
      (line.name !== undefined || haveOneLoad(first, line));
    const group = groups.find(belongs);
    if (group === undefined) groups.push([line]);
    else group.push(line);
  }
  return groups;
}

function seriesOf(lines: readonly HistoryLine[]): Series {
  const points = lines.map((line, index): Point => {
    const before = lines[index - 1];
    return {
      line,
      differences: before === undefined ? [] : differencesBetween(before, line),
      isNewLoad: before !== undefined && !haveOneLoad(before, line),
    };
  });
  const last = lines.at(-1);
  return {
    name: last?.name ?? last?.title ?? "",
    about: last === undefined ? "" : last.name === undefined ? last.about : `${last.title}, ${last.about}`,
    points,
    trends: trendsOf(points),
  };
}

const valuesOf = (line: HistoryLine | undefined): readonly TrendValue[] => (line?.kind === "load" ? line.values : []);

/** The metrics of a series, in the order of its last result that has them. */
function trendsOf(points: readonly Point[]): readonly Trend[] {
  const latest = new Map<string, TrendValue>();
  for (const { line } of points.toReversed()) {
    for (const value of valuesOf(line)) if (!latest.has(value.name)) latest.set(value.name, value);
  }
  const alpha = ALPHA / Math.max(1, latest.size);
  return [...latest.values()].map(({ name, unit, better }) => {
    const scale = unit === "share" ? "points" : "relative";
    // Another version may have had another unit.
    const values = points.map(({ line }) => valuesOf(line).find((value) => value.name === name && value.unit === unit));
    const bound = boundOn(name, points);
    return {
      ...{ name, unit, better, scale, values },
      shifts: shiftsOf(points, values, scale, alpha),
      ...(bound !== undefined && { bound }),
    };
  });
}

function boundOn(name: string, points: readonly Point[]): number | undefined {
  const lines = points.flatMap(({ line }) => (line.kind === "load" ? [line] : []));
  const expr = lines.flatMap(({ objectives }) => objectives).findLast((each) => subjectIn(each.expr) === name)?.expr;
  return expr === undefined ? undefined : objectiveOf(expr)?.bound;
}

/** The changes within each stretch of one load, of the values that say something of the target. */
function shiftsOf(
  points: readonly Point[],
  values: readonly (TrendValue | undefined)[],
  scale: Scale,
  alpha: number,
): readonly Shift[] {
  const starts = [0, ...points.flatMap(({ isNewLoad }, index) => (isNewLoad ? [index] : [])), points.length];
  return starts.slice(0, -1).flatMap((from, part) => {
    const used = values.slice(from, starts[part + 1]).flatMap((value, index) => {
      if (value === undefined || value.unusable || (scale === "relative" && value.value <= 0)) return [];
      return [{ value, at: from + index }];
    });
    const timed = used.map(({ value, at }) => ({
      value: value.value,
      half: halfOf(value),
      error: value.unit === "ms" ? errorOf(points[at]?.line) : 0,
    }));
    return shiftsIn(timed, scale, alpha).map((shift) => ({ ...shift, at: used[shift.at]?.at ?? 0 }));
  });
}

const errorOf = (line: HistoryLine | undefined): number => (line?.kind === "load" ? (line.machine.errorMs ?? 0) : 0);

/** The larger distance to an end of the interval; a value without an end is known least, and so is its change. */
function halfOf({ value, interval }: TrendValue): number {
  if (interval === undefined) return 0;
  const [low, high] = interval;
  return Math.max(value - low, (high ?? Number.POSITIVE_INFINITY) - value);
}

const changesOf = ({ name: series, points, trends }: Series): ChangePoint[] =>
  trends.flatMap(({ name, unit, better, scale, shifts }) =>
    shifts.flatMap(({ at, before, after, change, interval }): ChangePoint[] => {
      const point = points[at];
      if (point === undefined) return [];
      return [
        {
          ...{ series, metric: name, unit, at: point.line.id, startedAt: point.line.startedAt, before, after },
          ...{ scale, change, interval: [...interval] },
          verdict: change > 0 === (better === "higher") ? "better" : "worse",
          differences: [...point.differences],
        },
      ];
    }),
  );

const worseAndLatestFirst = (a: ChangePoint, b: ChangePoint): number =>
  Number(b.verdict === "worse") - Number(a.verdict === "worse") || Date.parse(b.startedAt) - Date.parse(a.startedAt);
