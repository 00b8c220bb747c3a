/** Gives a chat a slot or a place in the queue, or refuses it when the queue is full. */

import { errorResponse, isStreamed, type MockResponse, type PlainResponse } from "../base/mock-response.ts";
import type { MockContext } from "../service/mock-context.ts";
import type { Batch } from "../timing/batch.ts";
import { stepAt } from "../timing/capacity.ts";
import { batchPace, type Pace } from "../timing/pace.ts";
import type { ServedRequest } from "./served-request.ts";

/** The response and its pace under the capacity model; the slot is released when the exchange ends, or later when its client left. */
export function takeSlot(
  { batch, scheduler }: MockContext,
  served: ServedRequest,
  response: MockResponse,
  pace: Pace,
): { readonly response: MockResponse; readonly pace: Pace } {
  if (batch === undefined || response.prefillMs === undefined) return { response, pace };
  const entry = batch.enter(performance.now(), response.prefillMs);
  if (entry === undefined) return { response: busy(batch, response), pace };
  const free = (nowMs: number): undefined => {
    batch.leave(entry, nowMs);
  };
  served.onEnd = (clientLeft) => {
    const { leftMs } = batch.capacity;
    if (clientLeft && leftMs > 0) scheduler.at(performance.now() + leftMs, free);
    else free(performance.now());
  };
  return { response, pace: batchPace(batch, entry) };
}

/** The refusal; its Retry-After is when one of the running chats may have ended, if they are as long as this one. */
function busy({ capacity, waiting }: Batch, refused: MockResponse): PlainResponse {
  const { busyStatus, slots } = capacity;
  const given = errorResponse({
    status: busyStatus,
    message: `all ${slots} slots are taken and ${waiting} requests are waiting`,
    code: "overloaded",
    param: null,
  });
  const aloneMs = isStreamed(refused) ? (refused.frames.at(-1)?.atMs ?? 0) : refused.atMs;
  const prefillMs = refused.prefillMs ?? 0;
  const heldMs = prefillMs + ((aloneMs - prefillMs) * stepAt(capacity, slots)) / stepAt(capacity, 1);
  const seconds = Math.max(1, Math.ceil(heldMs / slots / 1000));
  return { ...given, headers: { ...given.headers, "retry-after": String(seconds) } };
}
