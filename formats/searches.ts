/** `searches.json`: what each search of a grid found (`assay search --grid`). */

import { z } from "zod";
import { ending } from "./members.ts";
import { grid } from "./runs.ts";
import { searchResult } from "./search.ts";

const { target, scenario, startedAt, unit, found, limitedBy, state, exitCode, conclusion } = searchResult.shape;

const oneSearch = z.object({
  dir: z
    .string()
    .regex(/^search-\d+$/)
    .describe("folder of the search and its reports, within that of this file"),
  cell: z.string().describe("its values, such as max-tokens=64 input-tokens=500"),
  values: z.record(z.string(), z.union([z.string(), z.number()])).describe("the same, each by the name of its setting"),
  ...{ target, scenario, startedAt, unit, found, limitedBy, state },
  exitCode: exitCode.describe("exit code that it has alone"),
  conclusion: conclusion.describe("the reason for that"),
  latency: z
    .object({
      name: z.string().describe("metric and statistic, such as ttft p95"),
      ms: z.number().describe("in milliseconds"),
    })
    .optional()
    .describe("latency of the run that confirmed the load"),
  costPer1000Ok: z
    .number()
    .optional()
    .describe("cost of 1,000 ok requests in that run; absent: no price list, or not known"),
  currency: z.string().optional().describe("of the cost; absent: the price list names none"),
});
export type OneSearch = z.infer<typeof oneSearch>;

export const searchesResult = z.object({
  schema: z.literal("assay.searches/1"),
  tool: z.string().describe("version of Assay"),
  grid: grid.describe("what is searched"),
  searches: z
    .array(oneSearch)
    .describe("the searches that ended, and one that was interrupted, in the order of the grid"),
  ...ending,
});
export type SearchesResult = z.infer<typeof searchesResult>;

/** Writes `searches.json`, checked against its schema first. */
export const searchesJson = (result: SearchesResult): string =>
  `${JSON.stringify(searchesResult.parse(result), null, 2)}\n`;
