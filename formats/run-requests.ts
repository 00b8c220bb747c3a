/** The requests of a load that its page lists, as `run.json` holds them. */

import { z } from "zod";
import { optional } from "./members.ts";

const notableRequest = z
  .object({
    id: z.string().describe("x-request-id that was sent"),
    op: z.string().describe("operation"),
    outcome: z.string().describe("how it ended"),
    sentS: z.number().describe("seconds from the start of the run until it was sent"),
    status: optional.describe("HTTP status; absent without a response"),
    reason: z.string().optional().describe("of a failure; secrets are taken out"),
    ttftMs: optional.describe("time to first token, in milliseconds"),
    gapMs: optional.describe("largest gap between two chunks, in milliseconds"),
    e2eMs: optional.describe("until the last byte, in milliseconds"),
    inputTokens: optional.describe("as the target counted them"),
    outputTokens: optional.describe("as the target counted them, else the number of events with content"),
    maxTokens: optional.describe("limit of output tokens that was asked for"),
    model: z.string().optional().describe("model of the request"),
    workload: z.string().optional().describe("name of the workload; absent: the load has one"),
    turn: optional.describe("number of the request within its conversation, from 1"),
    task: z.string().optional().describe("id of the video task"),
    arrival: optional.describe("number of the arrival that it belongs to"),
    lateMs: optional.describe(
      "how much later than due it was sent, in milliseconds; of the first request of an arrival",
    ),
    slotMs: optional.describe("of that, the wait for a free slot, in milliseconds; absent: none"),
    lookupMs: optional.describe("of a new connection: until the name of its host was resolved, in milliseconds"),
    connectMs: optional.describe("of a new connection: from then until it was open, in milliseconds"),
    tlsMs: optional.describe("of a new connection: its TLS handshake, in milliseconds"),
    ttfbMs: optional.describe("until the headers, in milliseconds"),
    chunks: optional.describe("events with content"),
    chunksMs: z
      .array(z.number())
      .optional()
      .describe("when chunks came, in milliseconds; of many chunks some, evenly chosen"),
    gapsMs: z
      .array(z.number())
      .optional()
      .describe("gaps between chunks in their order, in milliseconds; of many the largest of neighbours"),
    stallsMs: z
      .array(z.tuple([z.number(), z.number()]))
      .optional()
      .describe("the first stalls: from and to, in milliseconds"),
    progress: optional.describe("of a video task, as the response has it"),
    state: z.string().optional().describe("of a video task, as the response has it"),
    completion: z.string().optional().describe("id of the completion in the response"),
    traceId: z.string().optional().describe("of the W3C traceparent that was sent"),
  })
  .meta({ id: "request" });
/** What a list of requests says of one. */
export type NotableRequest = z.infer<typeof notableRequest>;

export const listedRequests = z.object({
  slowest: z
    .record(z.string(), z.array(notableRequest))
    .describe("by ttft, by gap (the largest between two chunks) and by e2e: measured requests with the outcome ok"),
  failed: z
    .array(notableRequest)
    .describe(
      "of each operation, outcome and status after the warm-up the first one and others, evenly spread over the run, 20 at most",
    ),
  median: z
    .array(notableRequest)
    .optional()
    .describe("of each operation the measured ok request with the median time until the last byte"),
  related: z
    .array(z.array(notableRequest))
    .optional()
    .describe(
      "of listed requests whose arrival has several, such as the turns of a conversation or the calls of a video task: those in their order, of many the first and the last",
    ),
});
export type ListedRequests = z.infer<typeof listedRequests>;
