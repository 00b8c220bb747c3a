/** The charts of a search, as data for the drawing: latency over the load, and what the target served of it. */

import { loadOf, type SearchResult, type SearchStep } from "../../formats/search.ts";
import { type Chart, COLOURS, FRAME, valueAxis } from "../page/chart.ts";
import { listedStatistics, shownLatency } from "./step-latency.ts";
import { curveSteps, loadOnCurve } from "./step-rows.ts";

/** Of the statistics of the latency, in their order. */
const LINE_COLOURS = [COLOURS.s1, COLOURS.s2, COLOURS.s3, COLOURS.s5] as const;

/** Every chart that the search has data for. */
export function searchCharts(search: SearchResult): Chart[] {
  const steps = curveSteps(search);
  return [latency(search, steps), served(search, steps)].filter((chart) => chart !== undefined);
}

const unitOf = ({ unit }: SearchResult): string => (unit === "vus" ? "users" : "arrivals per second");

const label = { color: COLOURS.dim, fontSize: 11 } as const;

/** A point that met the objectives is filled; one that did not is an empty circle. */
const symbolOf = ({ verdict }: SearchStep) => ({
  symbol: verdict === "met" ? "circle" : "emptyCircle",
  symbolSize: 7,
});

/** A line at the highest load that was found. */
function foundLine({ found }: SearchResult) {
  if (found === null) return {};
  const line = { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: COLOURS.s4, width: 1.5 } };
  return { markLine: { ...line, data: [{ xAxis: loadOf(found) }] } };
}

/** From nothing to a little more than the highest load. */
const loadAxis = (search: SearchResult, steps: readonly SearchStep[]) => ({
  ...valueAxis({ axisLabel: label, splitLine: { show: false } }),
  min: 0,
  max: Number((Math.max(...steps.map((step) => loadOnCurve(step, search.unit))) * 1.05).toPrecision(2)),
  name: unitOf(search),
  nameLocation: "middle" as const,
  nameGap: 24,
  nameTextStyle: label,
});

const shortNumber = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US");

const frame = { ...FRAME, grid: { ...FRAME.grid, bottom: 34 } };

function latency(search: SearchResult, steps: readonly SearchStep[]): Chart | undefined {
  const shown = shownLatency(search);
  const lines = listedStatistics(search).map((of, index) => ({ ...of, color: LINE_COLOURS[index] ?? COLOURS.s1 }));
  const series = lines.flatMap(({ statistic, label: name, color }) => {
    const data = steps.flatMap((step) => {
      const ms = step.latency?.[statistic];
      return ms === undefined ? [] : [{ value: [loadOnCurve(step, search.unit), ms], ...symbolOf(step) }];
    });
    return data.length === 0 ? [] : [{ type: "line" as const, name, color, data, lineStyle: { width: 1.8 } }];
  });
  if (shown === undefined || series.length === 0) return undefined;
  const [first, ...others] = series;
  return {
    name: "latency-load",
    title: "Latency over the load",
    caption: `${shown.name}, ms, logarithmic; filled: the objectives are met${search.found === null ? "" : "; vertical line: the load that was found"}`,
    legend: series.map(({ name, color }) => [name, color] as const),
    option: {
      ...frame,
      xAxis: loadAxis(search, steps),
      yAxis: { ...valueAxis(), type: "log", axisLabel: { ...label, formatter: shortNumber } },
      series: first === undefined ? [] : [{ ...first, ...foundLine(search) }, ...others],
    },
  };
}

function served(search: SearchResult, steps: readonly SearchStep[]): Chart | undefined {
  const data = steps.flatMap((step) =>
    step.throughput === undefined
      ? []
      : [{ value: [loadOnCurve(step, search.unit), step.throughput], ...symbolOf(step) }],
  );
  if (data.length === 0) return undefined;
  const most = Math.max(...steps.map((step) => loadOnCurve(step, search.unit)));
  const ideal = {
    type: "line" as const,
    name: "offered",
    color: COLOURS.s6,
    data: [
      [0, 0],
      [most, most],
    ],
    showSymbol: false,
    lineStyle: { width: 1, type: "dashed" as const },
  };
  const isRate = search.unit === "rate";
  return {
    name: "served-load",
    title: "Throughput over the load",
    caption: `requests with the outcome ok per second${isRate ? "; dashed: all that was offered" : ""}`,
    legend: [["served", COLOURS.s1], ...(isRate ? [["offered", COLOURS.s6] as const] : [])],
    option: {
      ...frame,
      xAxis: loadAxis(search, steps),
      yAxis: valueAxis({ axisLabel: label }),
      series: [
        {
          type: "line" as const,
          name: "served",
          color: COLOURS.s1,
          data,
          lineStyle: { width: 1.8 },
          ...foundLine(search),
        },
        ...(isRate ? [ideal] : []),
      ],
    },
  };
}
