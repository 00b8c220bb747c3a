/** The results of metrics, as `run.json` holds them. */

import { z } from "zod";
import { optional } from "./members.ts";

const countsByName = z.record(z.string(), z.number());
const figures = {
  mean: optional.describe("mean"),
  min: optional.describe("minimum"),
  p50: optional.describe("median"),
  p90: optional.describe("90th percentile"),
  p95: optional.describe("95th percentile"),
  p99: optional.describe("99th percentile"),
  p999: optional.describe("99.9th percentile"),
  max: optional.describe("maximum"),
};

/** Statistics of a distribution that have intervals. */
const INTERVALS = ["mean", "p50", "p90", "p95", "p99", "p999"] as const;
/** Between which values a figure of the target lies. */
export const interval = z
  .tuple([z.number().nullable(), z.number().nullable()])
  .describe("lower and upper end; null where the sample does not tell one");
export type Interval = z.infer<typeof interval>;
const intervals = z
  .object(Object.fromEntries(INTERVALS.map((name) => [name, interval.optional()])))
  .meta({ id: "intervals" });

const figureSet = z.object(figures).meta({ id: "figures" });
const bound = z.object({ ...figures, value: optional.describe("of a metric with one value") }).meta({ id: "bound" });

export const metricResult = z
  .object({
    unit: z.string().describe("unit of the values"),
    count: z.number().describe("number of samples: requests, gaps or tasks"),
    requests: optional.describe(
      "of gaps: number of requests that they are of, which decides which percentiles are given",
    ),
    ...figures,
    notStarted: optional.describe(
      "of a latency from the scheduled start: samples that are arrivals which never started, so that it is not known",
    ),
    atLeast: figureSet
      .optional()
      .describe(
        "with notStarted: what the figures that are not known exactly exceed, or equal; one that is also given itself is at most that",
      ),
    band: z
      .object({
        low: bound.optional().describe("what the true figures are at least; absent: as measured"),
        high: bound.optional().describe("what they are at most; absent: as measured"),
      })
      .optional()
      .describe(
        "between which values the true figures lie, as far as the load generator itself was late or did not run; absent: as measured",
      ),
    independent: optional.describe(
      "number of independent values that tell as much, where values of one request, of one conversation or close in time are alike; absent: as many as there are samples",
    ),
    intervals: intervals
      .optional()
      .describe(
        "between which values the figures of the target lie, at the confidence of the run on either side: percentiles by order statistics, the mean by Student's t",
      ),
    error: optional.describe("of a metric that comes from a histogram: the largest relative error of its values"),
    value: optional.describe("of a metric with one value"),
    parts: countsByName.optional().describe("counts by name: ends of video tasks, sources of token counts"),
  })
  .meta({ id: "metric" });
export type MetricResult = z.infer<typeof metricResult>;

export const calls = z
  .object({
    total: z.number().describe("number of requests"),
    ok: z.number().describe("with the outcome ok"),
    outcomes: countsByName.describe("number per outcome"),
  })
  .meta({ id: "calls", description: "requests of the measured phase" });
export type Calls = z.infer<typeof calls>;

export const metrics = z.record(z.string(), metricResult).describe("results per metric");
