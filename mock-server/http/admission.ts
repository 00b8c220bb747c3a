/** Gives a chat its slot, or a place in the queue, or the refusal of a service that is busy. */

import { type Answer, isScript, type Outcome, refusal } from "../base/mock-response.ts";
import type { World } from "../service/mock-context.ts";
import type { Batch } from "../timing/batch.ts";
import { stepAt } from "../timing/capacity.ts";
import { batchPace, type Pace } from "../timing/pace.ts";
import type { Exchange } from "./served-request.ts";

/** The answer and its pace once the capacity has had its say; the slot is given back when the exchange ends. */
export function takeSlot(
  { batch }: World,
  exchange: Exchange,
  outcome: Outcome,
  pace: Pace,
): { readonly outcome: Outcome; readonly pace: Pace } {
  if (batch === undefined || outcome.prefillMs === undefined) return { outcome, pace };
  const seat = batch.enter(performance.now(), outcome.prefillMs);
  if (seat === undefined) return { outcome: busy(batch, outcome), pace };
  exchange.onEnd = () => batch.leave(seat, performance.now());
  return { outcome, pace: batchPace(batch, seat) };
}

/** Tells when to come again: once one of those that run may have ended, if they are as long as this one. */
function busy({ capacity, waiting }: Batch, refused: Outcome): Answer {
  const { busyStatus, slots } = capacity;
  const given = refusal({
    status: busyStatus,
    message: `all ${slots} slots are taken and ${waiting} requests wait already`,
    code: "overloaded",
    param: null,
  });
  const aloneMs = isScript(refused) ? (refused.frames.at(-1)?.atMs ?? 0) : refused.atMs;
  const prefillMs = refused.prefillMs ?? 0;
  const heldMs = prefillMs + ((aloneMs - prefillMs) * stepAt(capacity, slots)) / stepAt(capacity, 1);
  const seconds = Math.max(1, Math.ceil(heldMs / slots / 1000));
  return { ...given, headers: { ...given.headers, "retry-after": String(seconds) } };
}
