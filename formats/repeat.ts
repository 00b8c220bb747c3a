/** `repeat.json`: the spread between the runs of a load that was repeated (`assay load --repeat`). */

import { z } from "zod";
import { ending, nullable } from "./members.ts";
import { VALIDITIES } from "./run.ts";

/** The name of the folder of a run within that of several: it never leads anywhere else. */
export const runFolder = z.string().regex(/^run-\d+$/, "it is not the name of a run within the folder, such as run-1");

export const repeatResult = z.object({
  schema: z.literal("assay.repeat/1"),
  tool: z.string().describe("version of Assay"),
  target: z.string().describe("base address of the target"),
  scenario: z.string().describe("name or file of the scenario"),
  shape: z.string().describe("the load of each run in words"),
  asked: z.number().describe("number of runs that were asked for"),
  interrupted: z.boolean().describe("whether its user ended the repetition before its time"),
  runs: z
    .array(
      z.object({
        dir: runFolder.describe("folder of the run, within that of the repetition"),
        seed: nullable.describe("seed of its random choices"),
        startedAt: z.string().describe("when it started, ISO 8601 in UTC"),
        units: z.number().describe("requests (tasks for videos) that were scheduled in the measured window"),
        validity: z.enum(VALIDITIES).describe("whether its figures can be trusted"),
        exitCode: z.number().describe("exit code that it would have had alone"),
        conclusion: z.string().describe("the reason for that"),
      }),
    )
    .describe("the runs that took place, in their order"),
  metrics: z
    .array(
      z.object({
        name: z.string().describe("metric, and percentile of a distribution, such as ttft_p95"),
        unit: z.string().describe("unit of the values"),
        values: z.array(nullable).describe("of each run; null: not measurable"),
        median: nullable.describe("of the values, those of interrupted runs and of runs that are not VALID left out"),
        min: nullable.describe("of the same"),
        max: nullable.describe("of the same"),
      }),
    )
    .describe("the spread of each metric"),
  ...ending,
});
export type RepeatResult = z.infer<typeof repeatResult>;

/** Writes `repeat.json`, checked against its schema first. */
export const repeatJson = (result: RepeatResult): string => `${JSON.stringify(repeatResult.parse(result), null, 2)}\n`;
