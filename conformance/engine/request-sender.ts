/** Sends a probe's request as often as manners allow: waits when told to, tries again after a broken connection. */

import { randomUUID } from "node:crypto";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { PLACEHOLDERS } from "../model/probe.ts";
import type { Client, Outgoing } from "./http-client.ts";
import { pacer, sleep } from "./waiting.ts";

export type Fillings = Readonly<Partial<Record<keyof typeof PLACEHOLDERS, string>>>;

/** Replaces every placeholder in a body by its setting. */
export function filled(value: Json, fillings: Fillings): Json {
  if (typeof value === "string") {
    const name = Object.entries(PLACEHOLDERS).find(([, placeholder]) => placeholder === value)?.[0];
    return Object.entries(fillings).find(([key]) => key === name)?.[1] ?? value;
  }
  if (Array.isArray(value)) return value.map((item: Json) => filled(item, fillings));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, fillings)]));
}

export interface SenderOptions {
  readonly client: Client;
  /** Called with each exchange once it is over. */
  readonly record: (exchange: Exchange) => void;
  /** Longest time that all waits for 429 and 503 may take together. */
  readonly waitCapMs: number;
  /** Most requests a second, repeated attempts among them; absent: no limit. */
  readonly rate?: number | undefined;
}

/** A request whose id each attempt chooses. */
export type RequestSpec = Omit<Outgoing, "requestId"> & {
  /** A request that must not be sent twice unless the target said that it did nothing. */
  readonly once?: boolean;
  readonly before?: (requestId: string) => void;
  readonly after?: (requestId: string, exchange: Exchange) => void;
};

const LATER: readonly number[] = [429, 503];
const MOST_ATTEMPTS = 4;
const FIRST_WAIT_MS = 1_000;
const RECONNECT_MS = 100;

/** Makes the function that sends; the cap of waits is shared by all that it sends. */
export function sender({
  client,
  record,
  waitCapMs,
  rate,
}: SenderOptions): (sending: RequestSpec) => Promise<Exchange> {
  let waitLeft = waitCapMs;
  const turn = pacer(rate);
  return async ({ once = false, before, after, ...outgoing }) => {
    for (let attempt = 1; ; attempt += 1) {
      await turn(outgoing.signal);
      const requestId = randomUUID();
      before?.(requestId);
      const exchange = await client.send({ ...outgoing, requestId });
      after?.(requestId, exchange);
      const pause =
        attempt < MOST_ATTEMPTS && !outgoing.signal.aborted ? pauseAfter(exchange, attempt, once) : undefined;
      if (pause === undefined || pause > waitLeft) {
        record(exchange);
        return exchange;
      }
      record({ ...exchange, retried: true });
      waitLeft -= pause;
      await sleep(pause, outgoing.signal);
    }
  };
}

/** Milliseconds to wait before the next attempt; undefined when this was the last. */
function pauseAfter({ answer, failure }: Exchange, attempt: number, once: boolean): number | undefined {
  if (answer !== undefined && LATER.includes(answer.status)) {
    return retryAfterMs(answer.headers["retry-after"]) ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
  }
  const broke = answer === undefined && (failure?.kind === "reset" || failure?.kind === "refused");
  return broke && !once && attempt === 1 ? RECONNECT_MS : undefined;
}
