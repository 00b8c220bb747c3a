/** Metrics of single requests as SQL over the table `requests`, in the unit of the metric. Pure. */

import { literal } from "../../lib/duckdb.mjs";
import {
  METRIC_NAMES,
  type MetricName,
  metric,
  type RequestMetricName,
  UNPACED,
} from "../../load/objectives/metrics.ts";

const ofModel = (value: string): string => `CASE WHEN op NOT LIKE 'video.%' THEN ${value} END`;
const fromSchedule = (value: string): string => `CASE WHEN lag_us IS NOT NULL THEN ${value} END`;
const ofOp = (op: string, value: string): string => `CASE WHEN op = ${literal(op)} THEN ${value} END`;

/** Output tokens that are not reasoning. */
const CONTENT_TOKENS = "greatest(0, output_tokens - coalesce(reasoning_tokens, 0))";

/** From the first content to the last, in microseconds. */
const CONTENT_US = `CASE WHEN gaps_us IS NOT NULL THEN list_sum(gaps_us) WHEN chunks >= 2 THEN ttlt_us - ttft_us END`;

const perToken = (us: string, tokens: string): string =>
  `CASE WHEN ${tokens} >= 2 THEN ${us} / 1000 / (${tokens} - 1) END`;

/**
 * Time and tokens are those of the same output: of all of it where reasoning was streamed and usage counts it, else of
 * the content alone, without the reasoning that usage counts and the stream did not show.
 */
const TIME_PER_OUTPUT_TOKEN = `CASE
  WHEN list_has_any(flags, [${UNPACED.map(literal).join(", ")}]) THEN NULL
  WHEN ttft_any_us IS NOT NULL AND ttlt_any_us IS NOT NULL AND token_source = 'usage'
    THEN ${perToken("(ttlt_any_us - ttft_any_us)", "output_tokens")}
  ELSE ${perToken(`(${CONTENT_US})`, CONTENT_TOKENS)} END`;

const METRIC_SQL = {
  ttft: "ttft_us / 1000",
  ttft_scheduled: fromSchedule("ttft_scheduled_us / 1000"),
  ttft_any: "ttft_any_us / 1000",
  tpot: TIME_PER_OUTPUT_TOKEN,
  ttfb: ofModel("ttfb_us / 1000"),
  e2e: ofModel("e2e_us / 1000"),
  e2e_scheduled: ofModel(fromSchedule("e2e_scheduled_us / 1000")),
  slot_wait: "slot_wait_us / 1000",
  schedule_lag: "lag_us / 1000",
  requested_input_tokens: "requested_input_tokens",
  input_tokens: "input_tokens",
  max_tokens: "max_tokens",
  output_tokens: "output_tokens",
  reasoning_tokens: "reasoning_tokens",
  content_tokens: `CASE WHEN reasoning_tokens IS NOT NULL THEN ${CONTENT_TOKENS} END`,
  batch_size: ofOp("embeddings", "items"),
  video_submit: ofOp("video.submit", "e2e_us / 1000"),
  video_cancel: ofOp("video.cancel", "e2e_us / 1000"),
} as const satisfies Readonly<Record<RequestMetricName, string>>;

/** Metrics of single requests. */
export const REQUEST_METRICS: readonly MetricName[] = METRIC_NAMES.filter((name) => metric(name).ofRequest === true);

const SQL: Readonly<Partial<Record<MetricName, string>>> = METRIC_SQL;

/** The value of a metric of single requests. @throws RangeError for any other metric */
export function metricSql(name: MetricName): string {
  const sql = SQL[name];
  if (sql === undefined) throw new RangeError(`${name} is no metric of single requests`);
  return sql;
}
