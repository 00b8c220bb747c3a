/** What the charts of a load's page show, as `run.json` holds it: requests over time and their latencies, by what they are of. */

import { z } from "zod";
import { calls, metrics } from "./run-metrics.ts";

export const CHART_DIMENSIONS = ["operation", "workload", "tenant", "model", "turn"] as const;

const n = z.number();

const chartSeries = z.object({
  count: n.describe("number of measured samples"),
  intervals: z
    .array(z.tuple([n, n, n, n, n, n]))
    .describe("second of the run, number of samples, p50, p95, p99 and maximum, in milliseconds"),
  histogram: z.array(z.tuple([n, n, n])).describe("measured: from and to, in milliseconds, and number of samples"),
  curve: z
    .array(z.tuple([n, n]))
    .describe("measured: share of the samples, value in milliseconds; exact, as far as the sample size allows"),
  samples: z
    .array(
      z.object({
        t: n.describe("second of the run"),
        ms: n.describe("value, in milliseconds"),
        id: z.string().optional().describe("of the request"),
      }),
    )
    .optional()
    .describe("of fewer than 20 measured samples: each"),
});
export type ChartSeries = z.infer<typeof chartSeries>;

const chartGroup = z.object({
  by: z.enum(CHART_DIMENSIONS).describe("what tells these requests apart from others"),
  name: z.string().describe("which operation, workload, tenant, model or turn"),
  op: z.string().describe("their operation; video: tasks with all their calls"),
  calls: calls.optional().describe("where its name has requests of other operations too: those of this one"),
  metrics: metrics.optional().describe("the same of their metrics"),
  rates: z
    .array(z.tuple([n, n, n, n, n, n]))
    .describe(
      "second of the run; requests or tasks per second that were sent, were ok, failed; output tokens per second; gaps longer than a stall, a count",
    ),
  arrivals: z
    .array(z.tuple([n, n, n]))
    .optional()
    .describe(
      "second of the run; arrivals per second that were due, and that started; absent: not known of these requests",
    ),
  series: z.record(z.string(), chartSeries).describe("latencies by the name of the metric"),
  gaps: z
    .array(z.tuple([n, n, n, n]))
    .optional()
    .describe("heat map of gaps between chunks: second of the run, from and to, in milliseconds, number of gaps"),
  byInputTokens: z
    .array(z.tuple([n, n, n, n, n]))
    .optional()
    .describe(
      "measured: from and to of the input tokens, from and to of the time to first token, in milliseconds, number of requests",
    ),
});
export type ChartGroup = z.infer<typeof chartGroup>;

export const runCharts = z.object({
  intervalS: n.describe("length of an interval, in seconds"),
  groups: z.array(chartGroup).describe("requests of one operation each, the most general first"),
  left: z.number().optional().describe("groups beyond those that are kept"),
});
export type RunCharts = z.infer<typeof runCharts>;
