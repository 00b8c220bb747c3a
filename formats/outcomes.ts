/**
 * What requests are, when they are sent and how they end: the enums of `records.jsonl`. Plain values without a schema, so
 * that k6 can bundle them. Go is compared with `testdata/outcomes.json`, which is generated from this file.
 */

/** The phases of a run. */
export const PHASES = ["warmup", "measure", "drain"] as const;

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
  "too_large",
  "client_error",
  "cancelled_by_us",
  "left",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether the load ended the request as planned: cut off by the end of the run, or `left` by its client. It is no failure. */
export const endedByUs = (outcome: string): boolean => outcome === "cancelled_by_us" || outcome === "left";

/** Whether the request failed. */
export const hasFailed = (outcome: string): boolean => outcome !== "ok" && !endedByUs(outcome);

/** Statuses below 500 of a target that has too much to do, or was sent to too late: none of them refuses what was asked for. */
export const BUSY_STATUSES: readonly number[] = [408, 425, 429];

/**
 * What the machine of the load generator lacked, of a `client_error`: a free file descriptor, a free source port, memory for
 * the connection, an address for the name of the target, a route to it, a proxy that passes the request on.
 */
export const CLIENT_FAULTS = ["open_files", "source_ports", "memory", "name_resolution", "route", "proxy"] as const;
export type ClientFault = (typeof CLIENT_FAULTS)[number];

/**
 * How much of a response is read, in bytes and numbers of events; more ends the request as `too_large`. A JSON body that is
 * longer than `checked` is read to its end and only not checked.
 */
export const SIZE_LIMITS = {
  headers: 2 ** 20,
  /** One event of an event stream, or one line of JSON lines. */
  event: 8 * 2 ** 20,
  checked: 8 * 2 ** 20,
  body: 256 * 2 ** 20,
  /** Events with content of one stream. */
  chunks: 2 ** 18,
} as const;

/**
 * What is unusual about a response that was measured all the same. `buffered`: the content of a stream came at once, so that
 * its gaps say nothing about the target; `large-first-event`: its first event with content holds so many tokens that the time
 * from it to the last is not that of all tokens but one; `empty`: a stream ended without content; `open-after-done`: it ended 100 ms
 * or more after its `[DONE]`; `below-max-tokens`: the target ended it for its length (`finish_reason` length) before it had as many
 * tokens as were asked for; `packet-loss`: packets of it were lost or late, as TCP saw it.
 */
export const FLAGS = [
  "no-done",
  "unfinished-event",
  "media-type",
  "too-long-to-check",
  "buffered",
  "large-first-event",
  "empty",
  "open-after-done",
  "below-max-tokens",
  "packet-loss",
] as const;

/** Formats of a streamed response other than an event stream. */
export const STREAM_FORMATS = ["json-lines", "text"] as const;

/** How an arrival ended whose requests do not say it: nothing was sent for it, or the scenario did not complete. */
export const ARRIVAL_ENDS = ["not_started", "threw", "no_request", "unfinished"] as const;
export type ArrivalEnd = (typeof ARRIVAL_ENDS)[number];

/** Why a video task is cancelled: its arrival is one that cancels, it took too long, or the run is over. */
export const CANCEL_REASONS = ["asked", "given_up", "clean_up"] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** How a video task can end, as far as the run could see. */
export const TASK_ENDS = [
  "completed",
  "cancelled",
  "cancel_lost_race",
  "failed",
  "cancelled_by_target",
  "uncancelled",
  "timed_out",
  "contract",
  "orphaned",
  "unfinished",
] as const;
export type TaskEnd = (typeof TASK_ENDS)[number];

/** Where the number of output tokens comes from. */
export const TOKEN_SOURCES = ["usage", "chunks"] as const;
