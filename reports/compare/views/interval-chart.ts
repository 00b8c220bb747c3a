/** The picture of how much worse each metric became: every metric that has an interval is drawn, and every other one is named. */

import type { ComparedMetric, CompareResult } from "../../../formats/compare.ts";
import { type Chart, COLOURS, type Colour, FRAME, valueAxis } from "../../page/chart.ts";

/** A metric as it is drawn: how much worse it became, in percent or points; an end that the data does not bound is infinite. */
interface Drawn {
  readonly label: string;
  readonly ends: readonly [number, number];
  /** Null: not measurable. */
  readonly change: number | null;
  readonly limit: number;
  readonly colour: Colour;
}

/** More rows than this have no room for their names. */
const ROWS = 12;

/** The intervals of a comparison, with what is not drawn and why. */
export function intervalCharts(result: Pick<CompareResult, "metrics" | "notCompared">): Chart[] {
  const drawn = result.metrics.flatMap(drawnOf);
  const parts = Array.from({ length: Math.ceil(drawn.length / ROWS) }, (_, part) =>
    drawn.slice(part * ROWS, (part + 1) * ROWS),
  );
  return parts.map((rows, part) => intervalChart(rows, part, part === 0 ? notDrawn(result) : []));
}

function drawnOf({ name, better, interval, change, limit, scale, decision }: ComparedMetric): Drawn[] {
  if (interval === null || interval.every((end) => end === null)) return [];
  const [low, high] = [interval[0] ?? -1, interval[1] ?? Number.POSITIVE_INFINITY].map((end) => end * 100);
  if (low === undefined || high === undefined) return [];
  const sign = better === "lower" ? 1 : -1;
  return [
    {
      label: scale === "points" ? `${name}, points` : name,
      ends: better === "lower" ? [low, high] : [-high, -low],
      change: change === null ? null : sign * change * 100,
      limit: limit * 100,
      colour: decision === "regression" ? COLOURS.bad : decision === "allowed" ? COLOURS.s4 : COLOURS.s2,
    },
  ];
}

/** Why a metric has no line, for each that has none. */
function notDrawn({ metrics, notCompared = [] }: Pick<CompareResult, "metrics" | "notCompared">): string[] {
  const open = metrics
    .filter((each) => drawnOf(each).length === 0)
    .map(({ name, note }) => ({ name, reason: note ?? "the data sets no bound" }));
  return [...open, ...notCompared].map(({ name, reason }) => `${name} (${reason})`);
}

/** What is further from 0 than this, in percent, leaves the picture when other metrics are much nearer. */
const FAR = 100;

/** The span of the axis: all ends that are known, but no further than twice the largest change. */
function spanOf(rows: readonly Drawn[]): readonly [number, number] {
  const known = rows.flatMap(({ ends, limit }) => [...ends, limit, 0]).filter(Number.isFinite);
  const nearest = rows.flatMap(({ ends, change }) => [
    Math.min(...ends.map(Math.abs)),
    ...(change === null ? [] : [Math.abs(change)]),
  ]);
  const reach = Math.max(FAR, 2 * Math.max(...nearest, ...rows.map(({ limit }) => limit)));
  const [from, to] = [Math.max(Math.min(...known), -reach), Math.min(Math.max(...known), reach)];
  const margin = (to - from) / 20;
  return [Math.floor(from - margin), Math.ceil(to + margin)];
}

const label = { color: COLOURS.dim, fontSize: 11 } as const;
const LINE = { type: "line" as const, showSymbol: false };

function intervalChart(rows: readonly Drawn[], part: number, missing: readonly string[]): Chart {
  const [from, to] = spanOf(rows);
  const inside = (value: number): number => Math.min(Math.max(value, from), to);
  const arrows = (rotate: number, isBeyond: (row: Drawn) => boolean, at: number) =>
    rows.filter(isBeyond).map((row) => ({
      ...{ type: "scatter" as const, symbol: "triangle", symbolSize: 9, symbolRotate: rotate },
      ...{ color: row.colour, data: [[at, row.label]] },
    }));
  return {
    name: part === 0 ? "intervals" : `intervals-${part + 1}`,
    title: "How much worse, with intervals",
    caption: `% of the base, of shares points; right of 0 is worse; the mark: what is allowed; an arrow: the interval goes on${
      missing.length === 0 ? "" : `. Not drawn: ${missing.join(", ")}`
    }`,
    legend: [
      ["allowed", COLOURS.s4],
      ["undecided", COLOURS.s2],
      ["worse than allowed", COLOURS.bad],
    ],
    option: {
      ...FRAME,
      xAxis: valueAxis({
        ...{ min: from, max: to },
        axisLabel: { ...label, formatter: "{value}%", showMinLabel: false, showMaxLabel: false },
      }),
      yAxis: {
        type: "category",
        data: rows.map((row) => row.label).reverse(),
        axisTick: { show: false },
        axisLine: { show: false },
        axisLabel: { ...label, interval: 0 },
      },
      series: [
        ...rows.map((row) => ({
          ...{ ...LINE, color: row.colour, lineStyle: { width: 3 } },
          data: row.ends.map((end) => [inside(end), row.label]),
        })),
        ...arrows(90, ({ ends }) => ends[0] < from, from),
        ...arrows(-90, ({ ends }) => ends[1] > to, to),
        ...rows.flatMap(({ change, colour, label: name }) =>
          change === null
            ? []
            : [{ type: "scatter" as const, symbolSize: 8, color: colour, data: [[inside(change), name]] }],
        ),
        {
          ...{ type: "scatter", symbol: "rect", symbolSize: [2, 14], color: COLOURS.ink },
          data: rows.map((row) => [inside(row.limit), row.label]),
        },
        {
          ...LINE,
          data: [],
          markLine: {
            ...{ silent: true, symbol: "none", label: { show: false }, data: [{ xAxis: 0 }] },
            lineStyle: { color: COLOURS.dim, type: "solid", width: 1 },
          },
        },
      ],
    },
  };
}
