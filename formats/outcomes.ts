/** What requests are, when they are sent and how they end: the enums of `records.jsonl`. No schema, so that k6 can hold them. */

/** The kinds of requests. */
export const OPS = ["chat.stream", "chat", "embeddings", "video.submit", "video.poll", "video.cancel"] as const;
export type Op = (typeof OPS)[number];

/** The phases of a run. */
export const PHASES = ["warmup", "measure", "drain"] as const;
export type Phase = (typeof PHASES)[number];

/** How a request can end; each has exactly one. */
export const OUTCOMES = [
  "ok",
  "http_error",
  "rate_limited",
  "error_frame",
  "truncated",
  "no_done",
  "stalled",
  "timeout",
  "refused",
  "reset",
  "tls",
  "malformed",
  "contract",
  "cancelled_by_us",
] as const;
export type Outcome = (typeof OUTCOMES)[number];
