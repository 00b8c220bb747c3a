/** `runs.json`: in what several runs of unlike loads differ, and what each measured (`assay report A B`, `assay load --grid`). */

import { z } from "zod";
import { ending, optional } from "./members.ts";
import { runFolder } from "./repeat.ts";
import { VALIDITIES } from "./run.ts";

/** A grid of loads or of searches. */
export const grid = z.object({
  command: z
    .record(z.string(), z.string())
    .describe(
      "what is run: the scenario, the settings of all runs and the values of those that are combined, as texts",
    ),
  axes: z.array(z.string()).describe("names of the settings that are combined, such as max-tokens"),
  cells: z.number().describe("number of combinations"),
});

const comparedRun = z.object({
  dir: runFolder.describe("folder of the run and its reports, within that of this file"),
  source: z.string().optional().describe("of a report on several folders: the one with the records, as it was named"),
  cell: z.string().optional().describe("of a grid: its values, such as rate=5 max-tokens=64"),
  startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
  validity: z.enum(VALIDITIES).describe("whether its figures can be trusted"),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2)]).describe("exit code that it has alone"),
  conclusion: z.string().describe("the reason for that"),
  settings: z.record(z.string(), z.union([z.string(), z.number()])).describe("the settings in which the runs differ"),
  figures: z
    .record(z.string(), z.number())
    .describe("what it measured: each metric with its statistic, such as ttft_p95, and the cost of measured requests"),
  latency: z
    .object({
      value: z.number().describe("as measured"),
      low: optional.describe("at least"),
      high: optional.describe("at most"),
    })
    .optional()
    .describe(
      "the latency of the curves, and where that of the target lies, by chance and by how late the load generator was; absent: no point of a curve",
    ),
});
/** One of several runs. */
export type ComparedRun = z.infer<typeof comparedRun>;

export const runsResult = z.object({
  schema: z.literal("assay.runs/1"),
  tool: z.string().describe("version of Assay"),
  targets: z.array(z.string()).describe("base addresses of the targets"),
  scenarios: z.array(z.string()).describe("names or files of the scenarios"),
  grid: grid.optional().describe("of assay load --grid: what it runs"),
  settings: z.array(z.string()).describe("names of the settings in which the runs differ, without seeds and labels"),
  latency: z.string().optional().describe("metric and statistic of the curves, such as ttft_scheduled_p95"),
  currency: z.string().optional().describe("of the costs; absent: the price lists name none, or several"),
  runs: z
    .array(comparedRun)
    .describe(
      "the runs, of a grid those that ended: sets that differ in the rate or the users only, each from the lowest load",
    ),
  curves: z
    .array(
      z.object({
        name: z.string().describe("the settings that its runs have and others have not; empty: all have them"),
        runs: z.array(runFolder).describe("its runs that are VALID and whole, from the lowest load to the highest"),
      }),
    )
    .describe("sets of runs that differ in the rate, or the number of users, only"),
  notes: z.array(z.string()).describe("what the figures leave out, a sentence each"),
  ...ending,
});
export type RunsResult = z.infer<typeof runsResult>;

/** Writes `runs.json`, checked against its schema first. */
export const runsJson = (result: RunsResult): string => `${JSON.stringify(runsResult.parse(result), null, 2)}\n`;
