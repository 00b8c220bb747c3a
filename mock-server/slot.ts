/** Gives a chat its slot, or a place in the queue, or the refusal of a service that is busy. */

import { type Answer, type Outcome, refusal } from "./answer.ts";
import type { Batch } from "./batch.ts";
import type { Exchange } from "./exchange.ts";
import { batchPace, type Pace } from "./pace.ts";
import type { World } from "./world.ts";

/** The answer and its pace once the capacity has had its say; the slot is given back when the exchange ends. */
export function takeSlot(
  { batch }: World,
  exchange: Exchange,
  outcome: Outcome,
  pace: Pace,
): { readonly outcome: Outcome; readonly pace: Pace } {
  if (batch === undefined || outcome.prefillMs === undefined) return { outcome, pace };
  const seat = batch.enter(performance.now(), outcome.prefillMs);
  if (seat === undefined) return { outcome: busy(batch), pace };
  exchange.onEnd = () => batch.leave(seat, performance.now());
  return { outcome, pace: batchPace(batch, seat) };
}

/** Tells when to come again: once a tenth of the queue may have moved on, at least a second. */
function busy({ capacity, waiting }: Batch): Answer {
  const { busyStatus, slots, stepMs } = capacity;
  const given = refusal({
    status: busyStatus,
    message: `all ${slots} slots are taken and ${waiting} requests wait already`,
    code: "overloaded",
    param: null,
  });
  const seconds = Math.max(1, Math.ceil((waiting * stepMs) / slots / 1000));
  return { ...given, headers: { ...given.headers, "retry-after": String(seconds) } };
}
