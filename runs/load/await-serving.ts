/**
 * The wait between two runs on a target: one that the last run drove to refuse requests (a breaker, a full queue, a limit per minute)
 * would refuse those of the next one too, whatever its load.
 */

import { setTimeout } from "node:timers/promises";
import { askOnce, isBroken, REQUESTS, validRequest } from "../../cli/preflight.ts";
import type { UsedTarget } from "../../cli/target.ts";
import { retryAfterMs } from "../../lib/retry-after.ts";
import { formatSeconds } from "../../reports/numbers.ts";
import { formatDuration } from "../../settings/units.ts";

const LONGEST_MS = 60_000;
/** The first pause; each further one is twice as long, up to the longest. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 8_000];

/**
 * A function that is told the error rate of the last run, and waits where some of its requests failed. A wait that was in vain is
 * not repeated until the target served again.
 */
export function waitAfterFailures(
  target: Pick<UsedTarget, "endpoints">,
  wait: Wait,
): (errorRate: number | undefined) => Promise<void> {
  let isServing = true;
  return async (errorRate = 0) => {
    isServing ||= errorRate < 1;
    if (isServing && errorRate > 0) isServing = await awaitServing(target, wait);
  };
}

/**
 * Sends a short request now and then until the target serves one, for a minute at most.
 * @returns whether it serves, as far as is known
 */
async function awaitServing(
  { endpoints: [endpoint] }: Pick<UsedTarget, "endpoints">,
  { say, signal, firstPauseMs = FIRST_PAUSE_MS, longestMs = LONGEST_MS }: Wait,
): Promise<boolean> {
  if (endpoint === undefined) return true;
  const since = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const { answer, failure } = await askOnce(endpoint, validRequest(endpoint) ?? REQUESTS[endpoint.part]);
    const waitedMs = performance.now() - since;
    const isRefusal =
      answer === undefined ? failure?.kind !== "timeout" : answer.status === 429 || isBroken(answer.status);
    if (!isRefusal || signal.aborted) {
      if (pauseMs > firstPauseMs && !isRefusal) say(`It serves again, ${formatSeconds(waitedMs / 1_000)} later.`);
      return !isRefusal;
    }
    const leftMs = longestMs - waitedMs;
    if (leftMs <= 0) {
      say(`It did not serve again within ${formatDuration(longestMs)}; the next run starts anyway.`);
      return false;
    }
    if (pauseMs === firstPauseMs)
      say(
        `The target refuses requests since the last run (${answer?.status ?? "no response"}). Waiting until it serves again, up to ${formatDuration(longestMs)}.`,
      );
    const told = retryAfterMs(answer?.headers["retry-after"]) ?? 0;
    await setTimeout(Math.min(Math.max(told, pauseMs), leftMs), undefined, { signal }).catch(() => undefined);
  }
}

interface Wait {
  readonly say: (line: string) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  readonly firstPauseMs?: number;
  readonly longestMs?: number;
}
