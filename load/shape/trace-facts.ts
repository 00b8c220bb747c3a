/** What is said of a trace that is replayed: a unit that was taken wrong shows in its length, its rate and its first time. Pure. */

import type { RecordedSettings } from "../../formats/records.ts";
import type { TraceBlocks } from "./trace-blocks.ts";
import { lengthOfTrace, type ReadTrace } from "./traces.ts";

/** A trace as it is replayed, at its speed. */
export type TraceFacts = Readonly<NonNullable<RecordedSettings["replayed"]>>;

/**
 * @param speed at which its times were divided
 * @param arrivals how many of its arrivals are replayed
 */
export function traceFacts({ trace, source }: ReadTrace, speed: number, arrivals: number): TraceFacts {
  const offsetsMs = trace.offsetsMs.slice(0, arrivals);
  const inputTokens = total(trace.inputTokens, arrivals);
  const outputTokens = total(trace.outputTokens, arrivals);
  const { layout, unit, firstMs, isSince1970 } = source;
  return {
    ...(layout !== undefined && { layout }),
    ...(unit !== undefined && { unit }),
    arrivals: offsetsMs.length,
    lengthMs: lengthOfTrace({ offsetsMs }),
    firstMs: Math.round(firstMs),
    lastMs: Math.round(firstMs + (offsetsMs.at(-1) ?? 0) * speed),
    ...(isSince1970 && { since1970: true }),
    peakPerSecond: peakOf(offsetsMs),
    ...(source.unused.length > 0 && { unused: source.unused }),
    ...(inputTokens > 0 && { inputTokens }),
    ...(outputTokens > 0 && { outputTokens }),
    ...(trace.blocks && {
      blockTokens: trace.blocks.tokens,
      sharedTokens: sharedIn(trace.blocks, trace.inputTokens, arrivals),
    }),
  };
}

function total(lengths: readonly number[], arrivals: number): number {
  let sum = 0;
  for (const length of lengths.slice(0, arrivals)) sum += length;
  return sum;
}

/** The most arrivals within one of its seconds. */
function peakOf(offsetsMs: readonly number[]): number {
  let [peak, count, second] = [0, 0, -1];
  for (const offset of offsetsMs) {
    const own = Math.floor(offset / 1_000);
    count = own === second ? count + 1 : 1;
    second = own;
    peak = Math.max(peak, count);
  }
  return peak;
}

/** Tokens of the blocks with which a prompt begins and that were sent before: what a cache of prefixes can have. */
function sharedIn({ ids, starts, tokens }: TraceBlocks, inputTokens: readonly number[], arrivals: number): number {
  const sent = new Set<number>();
  let shared = 0;
  for (let arrival = 0; arrival < arrivals; arrival += 1) {
    const own = ids.slice(starts[arrival], starts[arrival + 1]);
    const fresh = own.findIndex((id) => !sent.has(id));
    shared += Math.min((fresh < 0 ? own.length : fresh) * tokens, inputTokens[arrival] ?? 0);
    for (const id of own) sent.add(id);
  }
  return shared;
}
