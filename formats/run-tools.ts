/** What other load tools would have printed for the exchanges of a run, as `run.json` holds it (`assay report --as`). */

import { z } from "zod";
import { optional } from "./members.ts";

const toolFigure = z.object({
  name: z.string().describe("what the tool calls it"),
  metric: z.string().describe("name of the metric of Assay that it is compared with"),
  unit: z.string().describe("unit of the values"),
  count: z.number().describe("number of samples"),
  mean: optional.describe("mean"),
  p50: optional.describe("median"),
  p95: optional.describe("95th percentile"),
  p99: optional.describe("99th percentile"),
  value: optional.describe("of a figure with one value"),
  causes: z
    .array(
      z.object({
        text: z.string().describe("how the tool computes it otherwise than Assay"),
        statistic: z
          .enum(["mean", "p50", "p95", "p99", "value"])
          .optional()
          .describe("the figure that this changes most; absent: it changes none"),
        change: optional.describe("by how much, in the unit"),
      }),
    )
    .describe("why it differs, in the order in which the changes add up; empty: by the same definition"),
  unknown: z.string().optional().describe("why the records do not show it; it then has no figures"),
});
export type ToolFigure = z.infer<typeof toolFigure>;

export const toolResult = z.object({
  tool: z.string().describe("name of the tool, as --as takes it"),
  version: z.string().describe("the version whose code the definitions were read in"),
  successful: z.number().describe("requests that it takes for successful, of those with a streamed chat"),
  failed: z.number().describe("requests that it takes for failed"),
  figures: z.array(toolFigure).describe("what it prints"),
  notes: z.array(z.string()).describe("what the figures assume"),
});
export type ToolResult = z.infer<typeof toolResult>;
