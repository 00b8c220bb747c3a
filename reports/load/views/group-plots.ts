/** The plots of a group of requests of a load: latencies over time and by size, gaps, tokens, and rates. */

import type { RunResult } from "../../../formats/run.ts";
import type { ChartGroup } from "../../../formats/run-charts.ts";
import type { MetricName } from "../../../load/objectives/metrics.ts";
import type { Plot } from "../../page/plot.ts";
import { byInputTokens, curveOf, histogramOf } from "./distribution-plots.ts";
import { objectivesOf, type PlottedGroup } from "./plotted-group.ts";
import { gapsOf, overTime, ratesOf, tokensOf } from "./time-plots.ts";

/** Metrics with plots; of two in one row, the one that an objective names, else the first that the group has for all its requests. */
const LATENCIES: readonly (readonly MetricName[])[] = [
  ["ttft_scheduled", "ttft"],
  ["icl"],
  ["e2e_scheduled", "e2e"],
  ["video_work_scheduled", "video_work"],
  ["video_submit"],
];

/** Every plot that there is data for, those of the latency that matters first. */
export function groupPlots(run: RunResult, group: ChartGroup, id: string): Plot[] {
  const of: PlottedGroup = { run, group, id };
  const names = LATENCIES.flatMap((names) => shownOf(names, of));
  const main = names.find((name) => objectivesOf(of, name).length > 0) ?? names[0];
  const others = names.filter((name) => name !== main);
  const [first, curve] = main === undefined ? [[], []] : [overTime(of, main), curveOf(of, main)];
  return [
    ...first,
    ...curve,
    ...others.flatMap((name) => overTime(of, name)),
    ratesOf(of),
    ...gapsOf(of),
    ...tokensOf(of),
    ...names.flatMap((name) => [...histogramOf(of, name), ...(name === main ? [] : curveOf(of, name))]),
    ...byInputTokens(of),
  ];
}

/** Later turns of a conversation have no schedule of their own: then the latency from the start of the call is that of all. */
function shownOf(names: readonly MetricName[], of: PlottedGroup): MetricName[] {
  const { series } = of.group;
  const having = names.filter((name) => series[name] !== undefined);
  const most = having.reduce((max, name) => Math.max(max, series[name]?.count ?? 0), 0);
  const found =
    having.find((name) => objectivesOf(of, name).length > 0) ??
    having.find((name) => (series[name]?.count ?? 0) === most);
  return found === undefined ? [] : [found];
}
