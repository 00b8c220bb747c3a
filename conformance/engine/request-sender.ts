/**
 * Sends the request of a probe, with retries and back-off: after 429 and 503, after a broken connection, and alone where
 * another request cut the response.
 */

import { randomUUID } from "node:crypto";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject, type Json } from "../../lib/json.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { PLACEHOLDERS } from "../model/probe.ts";
import { Alone } from "./alone.ts";
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
  /** Lets requests pass, and asks again alone what another one cut. */
  readonly alone?: Alone;
  /** Until when a wait beyond that may last, by the monotonic clock: the first that a 429 asks for; absent: none may. */
  readonly deadlineAt?: number;
  /** Most requests per second, repeated attempts among them; absent: no limit. */
  readonly rate?: number | undefined;
  /** Longest wait, once the run is ended, for the response to a request that must be sent only once. */
  readonly graceMs: number;
  /** Ends every request at once. */
  readonly kill?: AbortSignal | undefined;
}

/** A request whose id each attempt chooses. */
export type RequestSpec = Omit<Outgoing, "requestId"> & {
  /** A request that must not be sent twice unless the target said that it did nothing. */
  readonly once?: boolean;
  /** A request that is not sent again at once after 503: whoever sends it looks first whether the target serves at all. */
  readonly careful?: boolean;
  readonly before?: (requestId: string) => void;
  readonly after?: (requestId: string, exchange: Exchange) => void;
};

const RETRYABLE_STATUSES: readonly number[] = [429, 503];
const MOST_ATTEMPTS = 4;
const FIRST_WAIT_MS = 1_000;
const RECONNECT_MS = 100;

/** Makes the function that sends; the cap of waits is shared by all that it sends. */
export function sender({
  client,
  record,
  waitCapMs,
  deadlineAt = 0,
  rate,
  graceMs,
  kill,
  alone = new Alone(),
}: SenderOptions): (request: RequestSpec) => Promise<Exchange> {
  let waitLeft = waitCapMs;
  const longer = longerWait(deadlineAt);
  const turn = pacer(rate);
  return async ({ once = false, careful = false, before, after, ...outgoing }) => {
    let isResent = false;
    let isAgain = false;
    for (let attempt = 1; ; attempt += 1) {
      await turn(outgoing.signal);
      const pass = await alone.enter(isAgain, outgoing.signal);
      const requestId = randomUUID();
      const isSent = !outgoing.signal.aborted;
      if (isSent) before?.(requestId);
      const late = once && isSent ? delayed(outgoing.signal, graceMs, kill) : undefined;
      const signal = late?.signal ?? outgoing.signal;
      const sent = await client.send({ ...outgoing, signal, requestId }).finally(pass.leave);
      const exchange: Exchange = isResent ? { ...sent, resent: true } : sent;
      late?.clear();
      if (isSent) after?.(requestId, exchange);
      if (!once && !outgoing.signal.aborted && alone.isToRepeat(exchange, pass, isAgain)) {
        record({ ...exchange, retried: true });
        isAgain = true;
        continue;
      }
      const pause =
        attempt < MOST_ATTEMPTS && !outgoing.signal.aborted ? pauseAfter(exchange, attempt, once, careful) : undefined;
      const isWithinCap = pause === undefined || pause <= waitLeft;
      const wait = isWithinCap ? pause : longer(exchange, pause);
      if (wait === undefined) {
        record(exchange);
        return exchange;
      }
      record({ ...exchange, retried: true });
      isResent ||= exchange.failure?.kind === "reset";
      if (isWithinCap) waitLeft -= wait;
      await sleep(wait, outgoing.signal);
    }
  };
}

/** A signal that aborts some time after another one, or with `kill` at once. */
function delayed(signal: AbortSignal, ms: number, kill?: AbortSignal): { signal: AbortSignal; clear: () => void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => late.abort(signal.reason), ms);
  };
  signal.addEventListener("abort", begin, { once: true });
  return {
    signal: kill === undefined ? late.signal : AbortSignal.any([late.signal, kill]),
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", begin);
    },
  };
}

/**
 * The one wait beyond the cap that a run makes, because a 429 says how long it takes: it ends at the same time for all
 * requests that are told to wait until it is over. Milliseconds until then; undefined: not waited for.
 */
function longerWait(deadlineAt: number): (exchange: Exchange, pause: number) => number | undefined {
  let end: number | undefined;
  return ({ answer }, pause) => {
    const isTold = answer?.status === 429 && retryAfterMs(answer.headers["retry-after"]) !== undefined;
    const now = performance.now();
    if (!isTold || now + pause >= deadlineAt) return undefined;
    end ??= now + pause;
    return end > now ? end - now : undefined;
  };
}

/** Milliseconds to wait before the next attempt; undefined when this was the last. */
function pauseAfter(
  { answer, failure }: Exchange,
  attempt: number,
  once: boolean,
  careful: boolean,
): number | undefined {
  if (careful && answer?.status === 503) return undefined;
  if (answer !== undefined && RETRYABLE_STATUSES.includes(answer.status)) {
    return retryAfterMs(answer.headers["retry-after"]) ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
  }
  const broke = answer === undefined && (failure?.kind === "reset" || failure?.kind === "refused");
  return broke && !once && attempt === 1 ? RECONNECT_MS : undefined;
}
