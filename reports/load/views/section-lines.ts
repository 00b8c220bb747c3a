/** What each part of a page that is folded away holds, in a line with the figure that matters. */

import type { RunResult } from "../../../formats/run.ts";
import { type METRICS, metric } from "../../../load/objectives/metrics.ts";
import { formatFigure, formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import { checkedText } from "../metrics/sample-check.ts";
import { comparisonInWords } from "../validity/client-lateness.ts";
import { formatAmount } from "./cost-rows.ts";
import type { SECTIONS } from "./sections.ts";
import { distributionRows, scalarRows, shownOf } from "./table-rows.ts";

/** The parts that are never folded have none. */
type Folded = Exclude<keyof typeof SECTIONS, "objectives" | "latencies">;

/** The line of each part, empty where the run has none. */
export function sectionLines(run: RunResult): Readonly<Record<Folded, string>> {
  const { counts, failures, ops, tools = [], targetMetrics = [], check, cost, metrics, client, shape, seed } = run;
  const shown = shownOf(run);
  const total = failures.reduce((sum, { count }) => sum + count, 0);
  const calls = Object.values(ops).reduce((sum, each) => sum + each.calls.total, 0);
  const series = targetMetrics.reduce((sum, each) => sum + each.series.length, 0);
  const definitions = distributionRows(metrics, shown).length + scalarRows(metrics, shown).length;
  return {
    failures: `${plural(total, "failure")} of ${plural(failures.length, "kind")}`,
    totals: scalarLine(metrics, "requests_per_s"),
    cost: cost === undefined ? "" : formatAmount(cost.total, cost.currency),
    "over-time": `outcomes, CPU, requests in flight${client.openMax === undefined ? "" : ` (at most ${formatNumber(client.openMax)})`}`,
    requests: requestsLine(run),
    outcomes: `ok ${formatNumber(counts.ok)} of ${formatNumber(counts.offered)}${counts.offered === 0 ? "" : ` (${formatShare(counts.ok / counts.offered)})`}`,
    checked: check === undefined ? "" : checkedText(check),
    operations: `${plural(calls, "request")} of ${plural(Object.keys(ops).length, "operation")}`,
    "target-metrics": `${formatNumber(series)} series of the target`,
    "other-tools": `figures of ${plural(tools.length, "tool")}`,
    "load-generator": loadGeneratorLine(run),
    run: `${shape}, seed ${seed ?? "unknown"}`,
    definitions: `of ${plural(definitions, "metric")}`,
  };
}

function scalarLine(metrics: RunResult["metrics"], name: keyof typeof METRICS): string {
  const value = metrics[name]?.value;
  return `${metric(name).title} ${value === undefined ? "not measured" : formatValue(value, metric(name).unit)}`;
}

/** How many are listed, and the slowest of them. */
function requestsLine({ requests }: RunResult): string {
  const { slowest = {}, failed = [] } = requests ?? {};
  const listed = new Set([...failed, ...Object.values(slowest).flat()].map(({ id }) => id)).size;
  const e2e = Object.values(slowest)
    .flat()
    .reduce((most, { e2eMs = 0 }) => Math.max(most, e2eMs), 0);
  const parts = [
    `${formatNumber(listed)} with their timelines`,
    ...(failed.length > 0 ? [`${formatNumber(failed.length)} failed`] : []),
    ...(e2e > 0 ? [`the slowest took ${formatFigure(e2e)} ms`] : []),
  ];
  return parts.join(", ");
}

/** The lateness that is nearest to its limit. */
function loadGeneratorLine({ validity }: RunResult): string {
  const [worst] = validity.lateness.toSorted((a, b) => b.ms / b.limitMs - a.ms / a.limitMs);
  return worst === undefined ? "CPU, memory, lateness" : `${worst.name} ${comparisonInWords(worst)}`;
}
