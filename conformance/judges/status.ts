/** What the status of a recorded response says. */

import type { Exchange } from "../../formats/exchanges.ts";

/** Statuses that say nothing about the request: the target ran out of time or asks to try again later. */
export const UNDECIDED_STATUSES: readonly number[] = [408, 429, 503];

/** Whether an answer has a 2xx status. */
export const isSuccess = (exchange: Exchange | undefined): boolean => {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
};

/** What was answered, for messages: `the target answered 200`. */
export function answered(exchange: Exchange | undefined): string {
  if (exchange === undefined) return "nothing was sent";
  if (exchange.answer !== undefined) return `the target answered ${exchange.answer.status}`;
  return `no answer came (${exchange.failure?.kind ?? "unknown"}: ${exchange.failure?.message ?? "no reason"})`;
}
