/**
 * `history.jsonl`: a line per result, which is all that a history needs of it. The file grows by appending: a branch or a bucket
 * can hold it, after the results themselves are gone.
 */

import { z } from "zod";
import { recordedCheckSettings } from "./exchanges.ts";
import { nullable } from "./members.ts";
import { recordedSettings } from "./records.ts";
import { VALIDITIES } from "./run.ts";

const exitCode = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]);

const trendValue = z.object({
  name: z.string().describe("metric, and percentile of a distribution, such as ttft_p95; of a workload after its name"),
  unit: z.string().describe("unit of the value"),
  better: z.enum(["lower", "higher"]).describe("which values are better"),
  value: z.number().describe("what was measured"),
  interval: z
    .tuple([z.number(), nullable])
    .optional()
    .describe(
      "in which the true value lies with 95 % confidence if requests are independent, and as far as the load generator was late; null: not bounded; absent: not known",
    ),
  unusable: z
    .literal(true)
    .optional()
    .describe("not a result of the target: the load generator was the limit, or the run not whole"),
});
/** A value of a result that is followed over time. */
export type TrendValue = z.infer<typeof trendValue>;

const common = {
  schema: z.literal("assay.history/1"),
  id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe("of the result, made of what it is: regenerated reports keep it"),
  startedAt: z.iso.datetime({ offset: true }).describe("when it started, ISO 8601 in UTC"),
  tool: z.string().describe("version of Assay"),
  target: z.string().describe("base address of the target"),
  title: z.string().describe("scenario of a load; what a conformance run checked"),
  about: z.string().describe("the load in words; the headline of a conformance run"),
  name: z.string().optional().describe("what the run is called (--name)"),
  tags: z.record(z.string(), z.string()).optional().describe("its tags (--tag)"),
  exitCode: exitCode.describe("exit code of the command"),
  verdict: z.string().describe("the result in a word"),
  conclusion: z.string().describe("the reason for the exit code"),
};

const loadLine = z.object({
  kind: z.literal("load"),
  ...common,
  settings: recordedSettings.partial().describe("settings of the run; durations in milliseconds"),
  validity: z.enum(VALIDITIES).describe("whether the figures can be trusted"),
  machine: z
    .object({
      k6: z.string().optional().describe("version of k6"),
      cpus: z.number().optional().describe("CPU cores available"),
      errorMs: z.number().optional().describe("p99 of the wake-up latency: how late its times can be, in milliseconds"),
      generators: z.number().describe("number of load generators"),
    })
    .describe("the load generator"),
  objectives: z
    .array(
      z.object({
        expr: z.string().describe("as it was given"),
        ok: z.boolean().nullable().describe("null: undecided"),
      }),
    )
    .describe("its objectives"),
  values: z.array(trendValue).describe("of the objectives, and of the metrics that a comparison looks at"),
});
export type LoadLine = z.infer<typeof loadLine>;

const conformanceLine = z.object({
  kind: z.literal("conformance"),
  ...common,
  settings: recordedCheckSettings,
  failed: z.array(z.string()).describe("ids of the clauses that failed"),
  warned: z.array(z.string()).describe("ids of the recommended clauses that do not hold"),
  verified: z.number().describe("required clauses that were decided"),
  required: z.number().describe("required clauses of the run"),
});
export type ConformanceLine = z.infer<typeof conformanceLine>;

export const historyLine = z.discriminatedUnion("kind", [loadLine, conformanceLine]);
/** A result in a history. */
export type HistoryLine = z.infer<typeof historyLine>;

/** Writes a line of `history.jsonl`, checked against its schema first. */
export const historyLineJson = (line: HistoryLine): string => `${JSON.stringify(historyLine.parse(line))}\n`;
