/** What is read from the body of a response: read once for all judges, and forgotten in time. */

import type { Exchange } from "../../formats/exchanges.ts";

/** Bytes that all readings that are kept may take. */
const KEPT = 64 * 2 ** 20;

/** About the most that a reading takes: its texts, and values of 64 bytes, of which there may be one in three characters. */
const weight = ({ answer }: Exchange): number => {
  const length = answer?.body.length ?? 0;
  return length + Math.min(21 * length, MOST_VALUES_BYTES);
};
const MOST_VALUES_BYTES = 8 * 2 ** 20;

/** Makes a reader that reads each response once, as long as it is among the latest. */
export function readOnce<T>(read: (body: string) => T): (exchange: Exchange | undefined) => T | undefined {
  const kept = new Map<Exchange, T>();
  let size = 0;
  return (exchange) => {
    if (exchange?.answer === undefined) return undefined;
    const before = kept.get(exchange);
    if (before !== undefined) return before;
    const reading = read(exchange.answer.body);
    kept.set(exchange, reading);
    size += weight(exchange);
    for (const oldest of kept.keys()) {
      if (size <= KEPT || oldest === exchange) break;
      kept.delete(oldest);
      size -= weight(oldest);
    }
    return reading;
  };
}
