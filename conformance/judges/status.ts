/** What the status of a recorded response says. */

import type { Exchange } from "../../formats/exchanges.ts";
import { shorten } from "../../lib/text.ts";

/** Statuses that say nothing about the request: the target ran out of time or asks to try again later. */
export const UNDECIDED_STATUSES: readonly number[] = [408, 429, 503];

export const KEY_REFUSED: readonly number[] = [401, 403];

/** Said where a key is refused: a target that tells the case of header names apart refuses every key. */
export const HEADER_CASE = "Assay sends the header name authorization in lower case, as HTTP allows";

/** Whether a response has a 2xx status. */
export const isSuccess = (exchange: Exchange | undefined): boolean => {
  const status = exchange?.answer?.status ?? 0;
  return status >= 200 && status < 300;
};

/** Bytes came that stay unread, since their coding (such as zstd) cannot be undone; nothing else was wrong with them. */
export const isUnread = ({ failure }: Partial<Exchange> = {}): boolean => failure?.kind === "coding";

/** What was returned, for messages: `the target returned 200`. */
export function returned(exchange: Exchange | undefined): string {
  if (exchange === undefined) return "nothing was sent";
  if (exchange.answer !== undefined) return `the target returned ${exchange.answer.status}`;
  return `no response came (${exchange.failure === undefined ? "unknown: no reason" : failureInWords(exchange.failure)})`;
}

/** Where a connection that was closed sooner tells nothing of a time limit. */
const SOON_MS = 1_000;

/** What kept a response from coming or from its end; of a closed connection with the time until then, which may be a time limit of a gateway. */
export function failureInWords({ kind, message, afterMs = 0 }: NonNullable<Exchange["failure"]>): string {
  const isLate = kind === "reset" && afterMs >= SOON_MS;
  return `${kind}${isLate ? ` after ${Math.round(afterMs / 1_000)} s` : ""}: ${message}`;
}

/** Headers in which caches say that a response is theirs; RFC 9211 has the first, and caches had the others before it. */
const CACHE_HEADERS = ["cache-status", "x-cache", "x-cache-status", "cf-cache-status"];

/** By which header a response says that a cache returned it again: `age: 118`, `x-cache: HIT`; undefined where none does. */
export function cachedBy({ answer }: Exchange): string | undefined {
  const headers = answer?.headers ?? {};
  const { age } = headers;
  if (age !== undefined && Number(age) > 0) return `age: ${shorten(age, 20)}`;
  const name = CACHE_HEADERS.find((each) => /\bhit\b/i.test(headers[each] ?? ""));
  return name && `${name}: ${shorten(headers[name] ?? "", 60)}`;
}
