/** The measured window of a run on the clock, and what was delivered within it. */

import type { RunResult } from "../../../formats/run.ts";
import type { Requests, Rows } from "../read/request-columns.ts";

/** The settings that define the course of a run; durations in milliseconds. */
export type Plan = Pick<RunResult["settings"], "duration" | "warmup" | "rate">;

/** Instants in milliseconds since 1970. */
export interface Span {
  /** The first instant of the run; the windows count from here. */
  readonly origin: number;
  /** Begin and end of the measured window; both lie within it. */
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** Whether an instant lies within the measured window; the end of a run that was cut short is its last response. */
export const isWithin = (instant: number, { from, to }: Span): boolean => instant >= from && instant <= to;

/** What the files say about the clock of a run. Instants in milliseconds since 1970. */
export interface Clock {
  readonly startedAt: number | undefined;
  /** When the first arrival could be due. */
  readonly scheduleStartedAt: number | undefined;
  /** The same of the shard that started last. */
  readonly lastStartedAt: number | undefined;
  /** The run ended before its plan, by its user or by a bound on requests. */
  readonly cutShort: boolean;
}

/**
 * The measured window begins after the warm-up and lasts as long as was planned, from the first shard that starts to
 * the last that ends; where the start of the schedule is not known, it begins when its first arrival is due. A run that
 * was cut short is measured up to its last measured response.
 */
export function measuredSpan(requests: Requests, plan: Plan, clock: Clock): Span {
  let origin = clock.startedAt ?? Number.POSITIVE_INFINITY;
  let from = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < requests.length; index += 1) {
    const due = Math.min(requests.at("scheduled", index), requests.at("sent", index));
    origin = Math.min(origin, due);
    if (!requests.measured(index)) continue;
    from = Math.min(from, due);
    last = Math.max(last, requests.end(index));
  }
  if (clock.scheduleStartedAt !== undefined && plan.warmup !== undefined && Number.isFinite(from)) {
    from = clock.scheduleStartedAt + plan.warmup;
  }
  if (!Number.isFinite(from)) return { origin: Number.isFinite(origin) ? origin : 0, from: 0, to: 0, seconds: 0 };
  const { scheduleStartedAt = 0, lastStartedAt = scheduleStartedAt } = clock;
  const planned = !plan.duration ? last : from + plan.duration + (lastStartedAt - scheduleStartedAt);
  const to = Math.max(from, clock.cutShort ? Math.min(planned, last) : planned);
  return { origin, from, to, seconds: Math.round((to - from) * 1_000) / 1e6 };
}

/** What ok requests delivered within the window, whichever phase they began in; undefined when none counted any. */
interface Delivered {
  tokens: number | undefined;
  inputTokens: number | undefined;
  items: number | undefined;
}

/** @param rows the requests to look at */
export function delivered(requests: Requests, span: Span, rows: Rows): Delivered {
  const sum: Delivered = { tokens: undefined, inputTokens: undefined, items: undefined };
  for (let index = 0; index < requests.length; index += 1) {
    if (!requests.ok(index) || !requests.isOf(index, rows)) continue;
    const end = requests.end(index);
    const tokens = requests.at("output_tokens", index);
    if (!Number.isNaN(tokens)) {
      sum.tokens = (sum.tokens ?? 0) + tokens * shareWithin(requests.first(index), end, span);
    }
    if (!isWithin(end, span)) continue;
    const input = requests.at("input_tokens", index);
    if (!Number.isNaN(input)) sum.inputTokens = (sum.inputTokens ?? 0) + input;
    const items = requests.at("batch_size", index);
    if (!Number.isNaN(items)) sum.items = (sum.items ?? 0) + items;
  }
  return sum;
}

/** Share of the time from `begin` to `end` that lies within the window; an instant lies within or not. */
function shareWithin(begin: number, end: number, span: Span): number {
  if (end <= begin) return isWithin(end, span) ? 1 : 0;
  const { from, to } = span;
  return Math.max(0, Math.min(end, to) - Math.max(begin, from)) / (end - begin);
}
