/** What `assay history --json` prints: the results that the page shows, and where they changed. */

import { z } from "zod";
import { historyLine } from "./history.ts";

const changePoint = z.object({
  series: z.string().describe("name of the results that belong together"),
  metric: z.string().describe("metric, and percentile of a distribution, such as ttft_p95"),
  unit: z.string().describe("unit of the values"),
  at: z.string().describe("id of the first result after the change"),
  startedAt: z.string().describe("when that started, ISO 8601 in UTC"),
  before: z.number().describe("mean of the values since the change before it"),
  after: z.number().describe("mean of the values until the next change"),
  scale: z
    .enum(["relative", "points"])
    .describe("relative: changes are shares of what was before; points: differences of two shares"),
  change: z.number().describe("from before to after"),
  interval: z.tuple([z.number(), z.number()]).describe("in which the change lies"),
  verdict: z.enum(["better", "worse"]).describe("which way it changed"),
  differences: z.array(z.string()).describe("what else changed between that result and the one before it"),
});
/** A lasting change of a metric. */
export type ChangePoint = z.infer<typeof changePoint>;

export const historySummary = z.object({
  schema: z.literal("assay.history-summary/1"),
  tool: z.string().describe("version of Assay"),
  results: z.array(historyLine).describe("the results, the oldest first"),
  changes: z.array(changePoint).describe("where metrics changed for longer, what became worse first"),
  unreadable: z.array(z.string()).describe("what could not be read, a sentence each"),
});
export type HistorySummary = z.infer<typeof historySummary>;

/** Writes a summary, checked against its schema first. */
export const historySummaryJson = (summary: HistorySummary): string =>
  `${JSON.stringify(historySummary.parse(summary), null, 2)}\n`;
