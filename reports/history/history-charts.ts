/** The charts of a series: each metric result by result, with its intervals, its stretches, and where it changed. */

import { formatDay } from "../numbers.ts";
import { type Chart, COLOURS, type Colour, FRAME, valueAxis } from "../page/chart.ts";
import type { Series, Trend } from "./build-history.ts";
import { toneOf } from "./history-rows.ts";

const LABEL = { color: COLOURS.dim, fontSize: 11 } as const;
/** Labels that the axis of time has room for. */
const LABELS = 5;
const LINE = { type: "line" as const, showSymbol: false, silent: true };

const POINTS: readonly (readonly [name: string, colour: Colour])[] = [
  ["passed", COLOURS.s4],
  ["failed", COLOURS.bad],
  ["inconclusive", COLOURS.s2],
  ["load generator too slow, or run not whole", COLOURS.s6],
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

/** The result by number, with its day as the label. */
const resultAxis = ({ points }: Series) =>
  valueAxis({
    ...{ min: 0, max: Math.max(1, points.length - 1), splitLine: { show: false } },
    interval: Math.max(1, Math.ceil((points.length - 1) / LABELS)),
    axisLabel: {
      ...LABEL,
      showMaxLabel: false,
      formatter: (index: number) => formatDay(points[index]?.line.startedAt ?? "").slice(5),
    },
  });

/** A chart per metric of a load; of conformance runs one. */
export function seriesCharts(series: Series, number: number): Chart[] {
  if (series.points[0]?.line.kind === "conformance") return [conformanceChart(series, number)];
  return series.trends.map((trend, index) => trendChart(series, trend, `s${number}-${index}`));
}

function trendChart(series: Series, trend: Trend, name: string): Chart {
  const [factor, unit] = shownAs(trend.unit);
  const values = trend.values.flatMap((value, index) =>
    value === undefined
      ? []
      : [{ index, value: value.value * factor, interval: value.interval, unusable: value.unusable }],
  );
  const kinds = POINTS.map((_, kind) =>
    values.filter(({ index, unusable }) => kindOfPoint(series, index, unusable) === kind),
  );
  const intervals = values.flatMap(({ index, interval }) =>
    interval === undefined || interval[1] === null
      ? []
      : [
          [index, interval[0] * factor],
          [index, interval[1] * factor],
          [index, null],
        ],
  );
  const known = [...values.map(({ value }) => value), ...intervals.flatMap(([, value]) => value ?? [])];
  const bound = trend.bound === undefined ? undefined : trend.bound * factor;
  return {
    name,
    title: trend.name,
    caption: captionOf(unit, intervals.length > 0, bound),
    legend: POINTS.filter((_, kind) => (kinds[kind] ?? []).length > 0),
    option: {
      ...FRAME,
      xAxis: resultAxis(series),
      yAxis: valueAxis(spanOf(known, bound)),
      series: [
        { ...LINE, color: COLOURS.s6, lineStyle: { width: 1.2, opacity: 0.6 }, data: intervals },
        {
          ...LINE,
          color: COLOURS.s1,
          lineStyle: { width: 1.6 },
          data: means(series, trend, factor),
          ...markers(series, trend, bound),
        },
        ...kinds.map((points, kind) => ({
          ...{ type: "scatter" as const, silent: true, symbolSize: values.length > 80 ? 4 : 6 },
          ...{ color: POINTS[kind]?.[1] ?? COLOURS.s6, data: points.map(({ index, value }) => [index, value]) },
        })),
      ],
    },
  };
}

const captionOf = (unit: string, hasIntervals: boolean, bound: number | undefined): string =>
  [
    `${unit}${unit === "" ? "the" : ", the"} results in their order`,
    hasIntervals ? "grey: in which the value lies (95 %)" : undefined,
    "blue: mean between two changes",
    bound === undefined
      ? undefined
      : `dashed, where it is near: the objective, ${bound}${unit === "" ? "" : ` ${unit}`}`,
  ]
    .filter((part) => part !== undefined)
    .join("; ");

/** The axis begins at 0 only where values are near it: what changes is seen. */
function spanOf(known: readonly number[], bound: number | undefined): Readonly<Record<string, unknown>> {
  const [low, high] = [Math.min(...known), Math.max(...known)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return {};
  const size = Math.max(high - low, Math.abs(high) / 5);
  const isNear = bound !== undefined && bound > low - size && bound < high + size;
  const top = Math.max(high, isNear ? bound : high) + size / 10;
  const bottom = Math.min(low, isNear ? bound : low) - size / 10;
  const axisLabel = { ...LABEL, showMinLabel: bottom <= 0, showMaxLabel: false };
  return {
    scale: true,
    axisLabel,
    max: roundUp(top),
    min: low >= 0 ? Math.max(0, -roundUp(-bottom)) : -roundUp(-bottom),
  };
}

/** To two digits, upwards. */
function roundUp(value: number): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return Number((Math.ceil(value / step) * step).toPrecision(3));
}

/** The mean of each stretch between changes, where there is a change. */
function means({ points }: Series, { shifts }: Trend, factor: number): [number, number | null][] {
  return shifts.flatMap(({ at, before, after }, index) => {
    const last = shifts[index + 1]?.at ?? points.length;
    const from = shifts[index - 1]?.at ?? 0;
    const first: [number, number | null][] =
      index === 0
        ? [
            [from, before * factor],
            [at - 1, before * factor],
            [at - 1, null],
          ]
        : [];
    return [...first, [at, after * factor], [last - 1, after * factor], [last - 1, null]];
  });
}

/** Lines where the metric changed, where the load became another, and at the bound of the objective. */
function markers({ points }: Series, { shifts, better }: Trend, bound: number | undefined) {
  const changes = shifts.map(({ at, change }) => ({
    xAxis: at - 0.5,
    lineStyle: {
      color: change > 0 === (better === "higher") ? COLOURS.s4 : COLOURS.bad,
      type: "solid" as const,
      width: 1.5,
    },
  }));
  const loads = points.flatMap(({ isNewLoad }, index) =>
    isNewLoad ? [{ xAxis: index - 0.5, lineStyle: { color: COLOURS.dim, type: "dotted" as const, width: 1 } }] : [],
  );
  const bounds =
    bound === undefined ? [] : [{ yAxis: bound, lineStyle: { color: COLOURS.ink, type: "dashed" as const, width: 1 } }];
  const data = [...changes, ...loads, ...bounds];
  return data.length === 0 ? {} : { markLine: { silent: true, symbol: "none", label: { show: false }, data } };
}

function conformanceChart(series: Series, number: number): Chart {
  const count = (of: "failed" | "warned") =>
    series.points.map(({ line }, index) => [index, line.kind === "conformance" ? line[of].length : null]);
  return {
    name: `s${number}-clauses`,
    title: "Clauses that do not hold",
    caption: "number of clauses, the results in their order",
    legend: [
      ["failed", COLOURS.bad],
      ["warnings", COLOURS.s2],
    ],
    option: {
      ...FRAME,
      xAxis: resultAxis(series),
      yAxis: valueAxis({ min: 0, minInterval: 1 }),
      series: [
        { ...LINE, step: "middle", color: COLOURS.s2, lineStyle: { width: 1.6 }, data: count("warned") },
        { ...LINE, step: "middle", color: COLOURS.bad, lineStyle: { width: 2 }, data: count("failed") },
      ],
    },
  };
}
