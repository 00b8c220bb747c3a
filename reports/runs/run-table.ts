/** What differs between several runs as rows of text, the same in every view. */

import type { ComparedRun, RunsResult } from "../../formats/runs.ts";
import { shorten } from "../../lib/text.ts";
import { METRICS, type MetricName, metric } from "../../load/objectives/metrics.ts";
import { formatAmount } from "../load/views/cost-rows.ts";
import { formatValue } from "../numbers.ts";
import { runVerdict } from "../verdict-words.ts";

export interface RunTable {
  /** After the column that names the run. */
  readonly head: readonly string[];
  /** In the order of the runs. */
  readonly rows: readonly (readonly string[])[];
}

const LONGEST_SETTING = 60;
const OF_LATENCY = ["p50", "p90", "p95", "p99"] as const;

/** The settings and figures that are not the same in all runs. */
export function runTable(result: RunsResult): RunTable {
  const { runs, settings, latency = "" } = result;
  const name = latency.replace(/_p\d+$/, "");
  const figures = [
    ...["requests_per_s", "output_tokens_per_s", "goodput", "goodput_share", "error_rate"],
    ...OF_LATENCY.map((statistic) => `${name}_${statistic}`),
    ...["tpot_p50", "cost_total", "cost_per_ok", "cost_per_1000_good"],
  ];
  const columns = [
    ...settings.map((key) => ({
      title: key,
      texts: runs.map((run) => shorten(String(run.settings[key] ?? ""), LONGEST_SETTING)),
    })),
    { title: "verdict", texts: runs.map(runWord) },
    ...figures.map((key) => ({ title: titleOf(key), texts: runs.map((run) => figureText(result, run, key)) })),
  ].filter(({ texts }) => new Set(texts).size > 1);
  return {
    head: columns.map(({ title }) => title),
    rows: runs.map((_, index) => columns.map(({ texts }) => texts[index] ?? "")),
  };
}

/** The verdict of a run; where its figures are not the target's, that. */
const runWord = (run: ComparedRun): string => (run.validity === "VALID" ? runVerdict(run).word : run.validity);

const titleOf = (figure: string): string =>
  figure.replace(/_(p\d+)$/, " $1").replace(/^cost_(.*)$/, (_, of: string) => `cost ${of.replaceAll("_", " ")}`);

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRICS, name);

/** A figure with its unit, or a dash. */
function figureText({ currency }: RunsResult, { figures }: ComparedRun, key: string): string {
  const value = figures[key];
  if (value === undefined) return "-";
  if (key.startsWith("cost_")) return formatAmount(value, currency);
  const name = key.replace(/_(?:mean|max|p\d+)$/, "");
  return formatValue(value, isMetric(name) ? metric(name).unit : "");
}
