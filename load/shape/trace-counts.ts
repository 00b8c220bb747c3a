/** How much of a trace is replayed: arrivals, requests and tokens. Pure. */

import type { Trace } from "./traces.ts";

/** A request of a trace; lengths in tokens, 0 where they are not stated. */
interface TracedRequest {
  readonly input: number;
  readonly output: number;
  /** Of `input`, what the requests before it in its conversation sent and got. */
  readonly before: number;
}

/** The requests of an arrival: one, or the turns of its conversation, each of which sends the ones before again. */
export function requestsOf({ inputTokens, outputTokens, turns }: Trace, arrival: number): readonly TracedRequest[] {
  let [input, output] = [inputTokens[arrival] ?? 0, outputTokens[arrival] ?? 0];
  const requests: TracedRequest[] = [{ input, output, before: 0 }];
  const end = turns?.starts[arrival + 1] ?? 0;
  for (let turn = turns?.starts[arrival] ?? 0; turn < end; turn += 1) {
    const before = input + output;
    input = before + (turns?.inputTokens[turn] ?? 0);
    output = turns?.outputTokens[turn] ?? 0;
    requests.push({ input, output, before });
  }
  return requests;
}

const SECOND_MS = 1_000;

/**
 * Milliseconds that a trace takes: the whole seconds that include its last request.
 * @param arrivals how many of them count; absent: all
 */
export function lengthOfTrace({ offsetsMs, endsMs = offsetsMs }: Trace, arrivals = offsetsMs.length): number {
  let last = 0;
  for (let arrival = 0; arrival < arrivals; arrival += 1) last = Math.max(last, endsMs[arrival] ?? 0);
  return (Math.floor(last / SECOND_MS) + 1) * SECOND_MS;
}

/** What limits a replay. */
interface Limits {
  readonly warmup: number;
  readonly duration: number;
  readonly maxRequests?: number | undefined;
}

/** Arrivals of a trace that are replayed, those of its warm-up included. */
export const arrivalsOfTrace = (
  trace: Trace,
  { warmup, duration, maxRequests = Number.POSITIVE_INFINITY }: Limits,
): number => arrivalsWithin(trace, warmup + duration, arrivalsWithin(trace, warmup) + maxRequests);

/** Arrivals that are due within `ms` milliseconds. */
export function arrivalsWithin({ offsetsMs }: Trace, ms: number, most = Number.POSITIVE_INFINITY): number {
  const late = offsetsMs.findIndex((offset) => offset >= ms);
  return Math.min(late < 0 ? offsetsMs.length : late, most);
}

/** What the first arrivals of a trace send and get on average, where lengths that are not stated are these. */
export function meansOfTrace(
  trace: Trace,
  arrivals: number,
  unknown: { readonly input: number; readonly output: number },
) {
  const total = { requests: 0, inputTokens: 0, outputTokens: 0 };
  for (let arrival = 0; arrival < arrivals; arrival += 1) {
    for (const { input, output } of requestsOf(trace, arrival)) {
      total.requests += 1;
      total.inputTokens += input || unknown.input;
      total.outputTokens += output || unknown.output;
    }
  }
  const each = (sum: number): number => (arrivals === 0 ? 0 : sum / arrivals);
  return {
    requests: each(total.requests),
    inputTokens: each(total.inputTokens),
    outputTokens: each(total.outputTokens),
  };
}
