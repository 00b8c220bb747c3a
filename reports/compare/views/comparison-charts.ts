/** The pictures of a comparison, as data for the drawing: the intervals, and both distributions of each latency. */

import type { CompareResult } from "../../../formats/compare.ts";
import { METRICS, type MetricName, metric } from "../../../load/objectives/metrics.ts";
import { type Chart, COLOURS, FRAME, valueAxis } from "../../page/chart.ts";
import { intervalCharts } from "./interval-chart.ts";

const LINE = { type: "line" as const, showSymbol: false, lineStyle: { width: 1.8 } };

/** The charts that there is data for. */
export function comparisonCharts(result: CompareResult): Chart[] {
  const curves = Object.entries(result.curves).filter(([, { base, new: next }]) => base.length > 1 && next.length > 1);
  return [...intervalCharts(result), ...curves.map(([name, curve]) => distributions(name, curve))];
}

const isMetric = (name: string): name is MetricName => name in METRICS;

function distributions(name: string, { base, new: next }: CompareResult["curves"][string]): Chart {
  const series = [
    ["base", base, COLOURS.s6],
    ["new", next, COLOURS.s1],
  ] as const;
  return {
    name: `curve-${name}`,
    title: isMetric(name) ? metric(name).title : name,
    caption: "ms by percentile; each curve ends where fewer than ten samples lie beyond it",
    legend: series.map(([side, , colour]) => [side, colour] as const),
    option: {
      ...FRAME,
      xAxis: percentileAxis([base, next]),
      yAxis: valueAxis(),
      series: series.map(([side, points, color]) => ({ ...LINE, name: side, color, data: percentilePoints(points) })),
    },
  };
}

/** Distance of a share from all, in powers of ten: 90% is 1, 99% is 2. */
const nines = (share: number): number => Number((-Math.log10(1 - share)).toFixed(6));
const ninesLabel = (value: number): string => (value === 0 ? "0%" : `${100 - 100 / 10 ** value}%`);

type Curve = readonly (readonly [share: number, value: number])[];

/** The points of a percentile curve on the axis of percentiles. */
const percentilePoints = (curve: Curve): [number, number][] => curve.map(([share, value]) => [nines(share), value]);

/** An axis for percentile curves, as long as the longest of them. */
function percentileAxis(curves: readonly Curve[]) {
  const furthest = Math.max(...curves.flatMap((curve) => curve.map(([share]) => nines(share))));
  return valueAxis({
    interval: 1,
    max: Math.max(1, Math.ceil(furthest)),
    splitLine: { show: false },
    axisLabel: { color: COLOURS.dim, fontSize: 11, formatter: ninesLabel },
  });
}
