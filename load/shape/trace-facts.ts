/** What is said of a trace that is replayed: a unit that was taken wrong shows in its length, its rate and its first time. Pure. */

import type { RecordedSettings } from "../../formats/records.ts";
import { lengthOfTrace, requestsOf } from "./trace-counts.ts";
import type { ReadTrace, Trace } from "./traces.ts";

/** A trace as it is replayed, at its speed. */
export type TraceFacts = Readonly<NonNullable<RecordedSettings["replayed"]>>;

/** A trace of a load, or of one of its workloads. */
export interface Replayed extends ReadTrace {
  /** At which its times were divided. */
  readonly speed: number;
  /** How many of its arrivals are replayed. */
  readonly arrivals: number;
}

/** @param all those that are replayed together; at least one */
export function traceFacts(all: readonly Replayed[]): TraceFacts {
  const { layout, unit, isSince1970 } = all[0]?.source ?? {};
  const unused = [...new Set(all.flatMap(({ source }) => source.unused))];
  const order = inOrder(all);
  const { requests, inputTokens, outputTokens, sharedTokens } = total(order);
  const blockTokens = all.find(({ trace }) => trace.blocks)?.trace.blocks?.tokens;
  const lastOf = ({ trace, source, speed, arrivals }: Replayed): number =>
    source.firstMs + ((trace.offsetsMs[arrivals - 1] ?? 0) - (trace.offsetsMs[0] ?? 0)) * speed;
  return {
    ...(layout !== undefined && { layout }),
    ...(unit !== undefined && { unit }),
    arrivals: order.length,
    ...(requests > order.length && { requests }),
    lengthMs: Math.max(...all.map(({ trace, arrivals }) => lengthOfTrace(trace, arrivals))),
    firstMs: Math.round(Math.min(...all.map(({ source }) => source.firstMs))),
    lastMs: Math.round(Math.max(...all.map(lastOf))),
    ...(isSince1970 && { since1970: true }),
    peakPerSecond: peakOf(order),
    ...(unused.length > 0 && { unused }),
    ...(inputTokens > 0 && { inputTokens }),
    ...(outputTokens > 0 && { outputTokens }),
    ...(blockTokens !== undefined && { blockTokens, sharedTokens }),
  };
}

/** An arrival of one of several traces. */
interface Nth {
  readonly trace: Trace;
  readonly arrival: number;
  readonly offsetMs: number;
}

function inOrder(all: readonly Replayed[]): readonly Nth[] {
  const every = all.flatMap(({ trace, arrivals }) =>
    trace.offsetsMs.slice(0, arrivals).map((offsetMs, arrival) => ({ trace, arrival, offsetMs })),
  );
  return all.length === 1 ? every : every.sort((a, b) => a.offsetMs - b.offsetMs);
}

/** The most arrivals within one second. */
function peakOf(order: readonly Nth[]): number {
  let [peak, count, second] = [0, 0, -1];
  for (const { offsetMs } of order) {
    const own = Math.floor(offsetMs / 1_000);
    count = own === second ? count + 1 : 1;
    second = own;
    peak = Math.max(peak, count);
  }
  return peak;
}

/** All requests and tokens; shared are those that were sent before, which a cache of prefixes can have. */
function total(order: readonly Nth[]) {
  const sum = { requests: 0, inputTokens: 0, outputTokens: 0, sharedTokens: 0 };
  const sent: Sent = new Map();
  for (const { trace, arrival } of order) {
    for (const { input, output, before } of requestsOf(trace, arrival)) {
      sum.requests += 1;
      sum.inputTokens += input;
      sum.outputTokens += output;
      sum.sharedTokens += before;
    }
    sum.sharedTokens += sharedBy(trace, arrival, sent);
  }
  return sum;
}

/** Ids of blocks that were sent, by the tokens of a block. */
type Sent = Map<number, Set<number>>;

/** Tokens of the blocks with which a prompt begins and that were sent before. @param sent those so far */
function sharedBy({ blocks, inputTokens }: Trace, arrival: number, sent: Sent): number {
  if (blocks === undefined) return 0;
  const { ids, starts, tokens } = blocks;
  const known = sent.get(tokens) ?? new Set();
  sent.set(tokens, known);
  const own = ids.slice(starts[arrival], starts[arrival + 1]);
  const fresh = own.findIndex((id) => !known.has(id));
  for (const id of own) known.add(id);
  return Math.min((fresh < 0 ? own.length : fresh) * tokens, inputTokens[arrival] ?? 0);
}
