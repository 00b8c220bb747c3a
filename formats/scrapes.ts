/** Lines of `scrapes.jsonl`: metrics that the target tells of itself, read beside a load. */

import { z } from "zod";

/** The first line. */
export const scrapesHeader = z.object({
  schema: z.literal("assay.scrapes/1"),
  intervalMs: z.number().describe("time between two readings, in milliseconds"),
  sources: z
    .array(z.object({ name: z.string().describe("name of the source"), url: z.string().describe("its address") }))
    .describe("where metrics were read"),
});
export type ScrapesHeader = z.infer<typeof scrapesHeader>;

/** One reading of one source. */
export const scrapeLine = z.object({
  at: z.string().describe("when the response had been read, ISO 8601 in UTC"),
  source: z.string().describe("name of the source"),
  tookMs: z.number().describe("from the request to the end of the response, in milliseconds"),
  values: z
    .record(z.string(), z.number())
    .optional()
    .describe("the value of each series, by its name with its labels; absent when it could not be read"),
  error: z.string().optional().describe("why it could not be read"),
  malformed: z.number().optional().describe("lines of these metrics that could not be read; absent without any"),
  dropped: z.number().optional().describe("series beyond those that are kept; absent without any"),
});
export type ScrapeLine = z.infer<typeof scrapeLine>;
