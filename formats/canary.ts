/** Lines of `canary.jsonl`: the responses to canary prompts, alone before a load and while it runs. */

import { z } from "zod";

/** The first line. */
export const canaryHeader = z.object({
  schema: z.literal("assay.canary/1"),
  prompts: z.int().describe("number of canary prompts"),
});

/** One response. */
export const canaryLine = z.object({
  at: z.string().describe("when it had been read, ISO 8601 in UTC"),
  prompt: z.int().min(1).describe("number of the prompt in its file, from 1"),
  alone: z.boolean().describe("whether it was asked for before the load, without other requests of Assay"),
  text: z.string().optional().describe("the response; absent when there was none"),
  error: z.string().optional().describe("why there was none"),
});
export type CanaryLine = z.infer<typeof canaryLine>;
