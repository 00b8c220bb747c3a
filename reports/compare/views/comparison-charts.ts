/** The pictures of a comparison, as data for the drawing: the intervals, and both distributions of each latency. */

import type { ComparedMetric, CompareResult } from "../../../formats/compare.ts";
import { METRICS, type MetricName, metric } from "../../../scenarios/metrics.ts";
import { percentileAxis, percentilePoints } from "../../load/views/charts.ts";
import { type Chart, COLOURS, type Colour, FRAME, valueAxis } from "../../page/chart.ts";

const LINE = { type: "line" as const, showSymbol: false, lineStyle: { width: 1.8 } };

/** The charts that there is data for. */
export function comparisonCharts(result: CompareResult): Chart[] {
  const curves = Object.entries(result.curves).filter(([, { base, new: next }]) => base.length > 1 && next.length > 1);
  return [...intervals(result.metrics), ...curves.map(([name, curve]) => distributions(name, curve))];
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

/** How much worse each relative metric may have become, with its limit. */
function intervals(metrics: readonly ComparedMetric[]): Chart[] {
  const drawn = metrics.flatMap((each) => {
    const [low, high] = each.interval ?? [null, null];
    if (each.scale !== "relative" || low === null || high === null || each.change === null) return [];
    const worse = each.better === "lower" ? [low, high, each.change] : [-high, -low, -each.change];
    return [{ ...each, percents: worse.map((change) => change * 100) }];
  });
  if (drawn.length === 0) return [];
  const names = drawn.map(({ name }) => name).reverse();
  const colourOf = ({ decision }: ComparedMetric): Colour =>
    decision === "regression" ? COLOURS.bad : decision === "allowed" ? COLOURS.s4 : COLOURS.s2;
  return [
    {
      name: "intervals",
      title: "How much worse, with intervals",
      caption: "% of the base; right of 0 is worse; the mark: what is allowed",
      legend: [
        ["allowed", COLOURS.s4],
        ["undecided", COLOURS.s2],
        ["worse than allowed", COLOURS.bad],
      ],
      option: {
        ...FRAME,
        xAxis: valueAxis({ axisLabel: { color: COLOURS.dim, fontSize: 11, formatter: "{value}%" } }),
        yAxis: {
          type: "category",
          data: names,
          axisTick: { show: false },
          axisLine: { show: false },
          axisLabel: { color: COLOURS.dim, fontSize: 11 },
        },
        series: [
          ...drawn.map((each) => ({
            ...LINE,
            color: colourOf(each),
            lineStyle: { width: 3 },
            data: each.percents.slice(0, 2).map((percent) => [percent, each.name]),
          })),
          ...drawn.map((each) => ({
            type: "scatter" as const,
            symbolSize: 8,
            color: colourOf(each),
            data: [[each.percents[2], each.name]],
          })),
          {
            type: "scatter",
            symbol: "rect",
            symbolSize: [2, 14],
            color: COLOURS.ink,
            data: drawn.map((each) => [each.limit * 100, each.name]),
          },
          {
            ...LINE,
            data: [],
            markLine: {
              silent: true,
              symbol: "none",
              label: { show: false },
              lineStyle: { color: COLOURS.dim, type: "solid", width: 1 },
              data: [{ xAxis: 0 }],
            },
          },
        ],
      },
    },
  ];
}
