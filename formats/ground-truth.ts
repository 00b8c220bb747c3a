/**
 * A line of the ground-truth file (`ledger.jsonl`): what the mock knows about one request that it served. Load results
 * are compared with it. Times ending in `Ms` or `_ms` are milliseconds; `receivedMs` counts from the start of the mock,
 * every other one from the arrival of the request.
 */

import { z } from "zod";

const times = z.array(z.number()).readonly();

export const groundTruthRow = z.object({
  id: z.string().describe("the `x-request-id` of the request, or an id that the mock made"),
  connection: z.number().describe("number of the connection, from 1"),
  route: z.string().describe("name of the route"),
  method: z.string().describe("HTTP method"),
  path: z.string().describe("path of the request"),
  status: z.number().describe("0 when no response was sent"),
  startedAt: z.string().describe("ISO 8601 with microseconds"),
  receivedMs: z.number().describe("when the request had arrived, in milliseconds from the start of the mock"),
  planned_ms: times.describe("when each chunk of content was due; empty when the response is not a stream"),
  actual_ms: times.describe(
    "when each chunk was written; shorter than `planned_ms` when the client left or a fault cut the stream",
  ),
  headersMs: z.number().exactOptional().describe("when the headers were written"),
  endMs: z.number().describe("when the exchange ended"),
  tokens: z.number().describe("output tokens sent"),
  task: z.string().exactOptional().describe("id of the video task"),
  fault: z.string().exactOptional().describe("names of the faults that were applied, separated by commas"),
  clientLeft: z.boolean().describe("the client closed the connection before the end, or the mock was stopped"),
  lateP99Ms: z
    .number()
    .exactOptional()
    .describe("99th percentile of actual minus planned over the chunks of this stream"),
});
export type GroundTruthRow = Readonly<z.infer<typeof groundTruthRow>>;

/** The members that a calibration needs; the ground truth of another server may have these alone, without a plan. */
export const groundTruthTimes = groundTruthRow
  .pick({ id: true })
  .extend({ planned_ms: times.default([]), actual_ms: times.default([]) });
export type GroundTruthTimes = z.infer<typeof groundTruthTimes>;
