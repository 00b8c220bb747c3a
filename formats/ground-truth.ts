/**
 * A line of the ground-truth file (`ledger.jsonl`): what the mock knows about one request that it served. Load results
 * are compared with it. Times ending in `Ms` or `_ms` are milliseconds; `receivedMs` counts from the start of the mock,
 * every other one from the arrival of the request.
 */

import { z } from "zod";

const times = z.array(z.number()).readonly();

export const groundTruthRow = z.object({
  /** The `x-request-id` of the request, or an id that the mock made. */
  id: z.string(),
  /** Number of the connection, from 1. */
  connection: z.number(),
  route: z.string(),
  method: z.string(),
  path: z.string(),
  /** 0 when no response was sent. */
  status: z.number(),
  /** ISO 8601 with microseconds. */
  startedAt: z.string(),
  receivedMs: z.number(),
  /** When each chunk of content was due; empty when the response is not a stream. */
  planned_ms: times,
  /** When each chunk was written; shorter than `planned_ms` when the client left or a fault cut the stream. */
  actual_ms: times,
  /** When the headers were written. */
  headersMs: z.number().exactOptional(),
  /** When the exchange ended. */
  endMs: z.number(),
  tokens: z.number(),
  /** Id of the video task. */
  task: z.string().exactOptional(),
  /** Names of the faults that were applied, separated by commas. */
  fault: z.string().exactOptional(),
  /** The client closed the connection before the end, or the mock was stopped. */
  clientLeft: z.boolean(),
  /** 99th percentile of actual minus planned over the chunks of this stream. */
  lateP99Ms: z.number().exactOptional(),
});
export type GroundTruthRow = Readonly<z.infer<typeof groundTruthRow>>;

/** The members that a calibration needs; the ground truth of another server may have these alone, without a plan. */
export const groundTruthTimes = groundTruthRow
  .pick({ id: true })
  .extend({ planned_ms: times.default([]), actual_ms: times.default([]) });
export type GroundTruthTimes = z.infer<typeof groundTruthTimes>;
