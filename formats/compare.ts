/** `compare.json`: the result of a comparison of load runs, as every view reads it. */

import { z } from "zod";
import { ending, nullable } from "./members.ts";
import { VALIDITIES } from "./run.ts";

/**
 * What a comparison says of a metric: the interval of its change is all on one side of none; or it holds none and no change
 * beyond the limit; or it holds more than that.
 */
export const CHANGE_VERDICTS = ["better", "worse", "same", "too-noisy"] as const;
export type ChangeVerdict = (typeof CHANGE_VERDICTS)[number];

const runOfSide = z
  .object({
    dir: z.string().describe("result folder of the run"),
    target: z.string().describe("base address of the target"),
    startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
    units: z.number().describe("requests (tasks for videos) that were scheduled in the measured window"),
    validity: z.enum(VALIDITIES).describe("whether the figures of the run can be trusted"),
  })
  .meta({ id: "run" });
/** A run of one side. */
export type RunOfSide = z.infer<typeof runOfSide>;

const perSide = z.object({
  base: z.array(nullable).describe("of each run of the base"),
  new: z.array(nullable).describe("of each new run"),
});

const range = z.tuple([z.number(), nullable]);

const comparedMetric = z.object({
  name: z.string().describe("metric, and percentile of a distribution, such as ttft_p95"),
  unit: z.string().describe("unit of the values"),
  better: z.enum(["lower", "higher"]).describe("which values are better"),
  base: nullable.describe("value of the base, over all its runs; null: not measurable"),
  new: nullable.describe("value of the new runs; null: not measurable"),
  bounds: z
    .object({ base: range.optional().describe("of the base"), new: range.optional().describe("of the new runs") })
    .optional()
    .describe("of a value that is not measurable: the least and the most that it can be; null: not bounded"),
  runs: perSide.optional().describe("with several runs on a side: the value of each"),
  scale: z
    .enum(["relative", "points"])
    .describe("relative: changes are shares of the base, 0.05 is 5% more; points: differences of two shares"),
  change: nullable.describe("from base to new; null: not measurable"),
  interval: z
    .tuple([nullable, nullable])
    .nullable()
    .describe("in which the change lies; an end that is null is not bounded by the data; null: too few samples"),
  confidence: z.number().nullable().describe("of the interval, after the correction for the number of metrics"),
  detectable: nullable.describe(
    "smallest worsening that this amount of data shows in 95 of 100 comparisons at least; null: none",
  ),
  limit: z.number().describe("largest worsening that is allowed"),
  verdict: z.enum(CHANGE_VERDICTS).describe("what the interval says"),
  decision: z
    .enum(["allowed", "regression", "undecided"])
    .describe("whether the metric became worse by more than the limit: no, yes, or the data does not tell"),
  note: z.string().optional().describe("why the verdict is what it is"),
});
/** What a comparison says of a metric. */
export type ComparedMetric = z.infer<typeof comparedMetric>;

const curve = z.array(z.tuple([z.number(), z.number(), nullable, nullable]));

export const compareResult = z.object({
  schema: z.literal("assay.compare/1"),
  tool: z.string().describe("version of Assay"),
  scenario: z.string().describe("name or file of the scenario"),
  shape: z.string().describe("the load in words"),
  base: z.array(z.string()).describe("result folders of the base"),
  new: z.array(z.string()).describe("result folders of the new runs"),
  runs: z
    .object({ base: z.array(runOfSide).describe("of the base"), new: z.array(runOfSide).describe("the new ones") })
    .describe("the runs that were compared"),
  runToRun: z
    .boolean()
    .describe("whether the intervals include the variance from run to run: one side has several runs"),
  metrics: z.array(comparedMetric).describe("one verdict per metric; empty when the runs cannot be compared"),
  notCompared: z
    .array(z.object({ name: z.string().describe("metric"), reason: z.string().describe("why it is not compared") }))
    .optional()
    .describe("the usual metrics that are not compared"),
  curves: z
    .record(z.string(), z.object({ base: curve.describe("of the base"), new: curve.describe("of the new runs") }))
    .describe(
      "percentile curves of both sides: share of the samples, value in milliseconds, its interval of 95% by chance within the runs, null: no bound",
    ),
  shift: z
    .object({
      metric: z.string().describe("the first latency that is compared"),
      confidence: z.number().describe("of each interval alone"),
      points: z
        .array(z.tuple([z.number(), nullable, nullable, nullable]))
        .describe(
          "share of the samples; new - base in milliseconds, null: not measurable; its interval, null: no bound",
        ),
    })
    .optional()
    .describe("how far each percentile moved; absent where no latency is compared"),
  notes: z.array(z.string()).describe("what to know about the comparison, a sentence each"),
  ...ending,
});
export type CompareResult = z.infer<typeof compareResult>;

/** Writes `compare.json`, checked against its schema first. */
export const compareJson = (result: CompareResult): string =>
  `${JSON.stringify(compareResult.parse(result), null, 2)}\n`;
