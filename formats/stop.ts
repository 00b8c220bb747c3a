/** `stop.json`: why Assay ended a load before its time. It is written before the load generator is asked to end. */

import { z } from "zod";

export const stopFile = z.object({
  schema: z.literal("assay.stop/1"),
  cause: z
    .enum(["rule", "gone", "budget"])
    .describe(
      "rule: a condition of --abort-on held; gone: the target did not respond for --set abort-when-gone; budget: --max-cost or --max-tokens-total was reached",
    ),
  t: z.number().describe("seconds since the startedAt of the records"),
  expr: z.string().optional().describe("the condition, as it was given, or the flag of the budget"),
  reason: z.string().describe("what was observed, in a sentence without its end"),
});
/** Why a load was ended before its time. */
export type Stop = z.infer<typeof stopFile>;
