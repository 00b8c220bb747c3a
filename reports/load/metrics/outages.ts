/** Outages: intervals in which the target sent no response at all. */

import { endedByUs, OPS, OUTCOMES } from "../../../formats/outcomes.ts";
import type { Outage } from "../../../formats/run.ts";
import { type Interruptions, NO_INTERRUPTIONS } from "../read/interruptions.ts";
import type { Requests } from "../read/request-columns.ts";
import { canBeOurs } from "../read/work-units.ts";
import { inOrderOf } from "../stats/order.ts";
import type { PageStore } from "../stats/page-store.ts";

/** This many consecutive requests without a response, in the order in which they were sent, are an outage. */
const OUTAGE_REQUESTS = 5;

/** A finished video may be on another host. */
const FETCH = OPS.indexOf("video.fetch");

/** These say nothing about the target. */
const OURS: readonly number[] = OUTCOMES.flatMap((outcome, number) =>
  endedByUs(outcome) || outcome === "client_error" ? [number] : [],
);

const MAY_BE_OURS: readonly number[] = OUTCOMES.flatMap((outcome, number) =>
  outcome !== "cancelled_by_us" && canBeOurs(outcome) ? [number] : [],
);

/**
 * Finds outages after the first response; a run without any response has none. Requests that we cancelled, that failed on the
 * load generator's machine, or that an interruption of the load generator can have failed, are skipped.
 * @param origin instant of second 0, in milliseconds
 */
export function findOutages(
  requests: Requests,
  origin: number,
  store: PageStore,
  interruptions: Interruptions = NO_INTERRUPTIONS,
): Outage[] {
  const isOurs = (index: number): boolean =>
    OURS.includes(requests.at("outcome", index)) ||
    (MAY_BE_OURS.includes(requests.at("outcome", index)) &&
      (interruptions.has(requests.at("scheduled", index)) ||
        interruptions.has(requests.at("sent", index)) ||
        interruptions.has(requests.end(index))));
  if (silentRequests(requests) < OUTAGE_REQUESTS) return [];
  const outages: Outage[] = [];
  let sawResponse = false;
  let silence: Silence | undefined;
  const close = (recovered: boolean) => {
    if (sawResponse && silence !== undefined && silence.requests >= OUTAGE_REQUESTS) {
      const { from, to, requests: count, outcomes } = silence;
      outages.push({
        fromS: (from - origin) / 1_000,
        toS: (to - origin) / 1_000,
        requests: count,
        outcomes,
        recovered,
      });
    }
    silence = undefined;
  };
  const look = (index: number) => {
    if (requests.at("op", index) === FETCH) return;
    if (requests.at("answered", index) === 1) {
      close(true);
      sawResponse = true;
    } else if (!isOurs(index)) {
      silence ??= { from: requests.at("sent", index), to: Number.NEGATIVE_INFINITY, requests: 0, outcomes: {} };
      addTo(silence, requests, index);
    }
  };
  inOrderOf((row) => requests.at("sent", row), requests.length, look, store);
  close(false);
  return outages;
}

/** How many requests the target did not respond to. */
function silentRequests(requests: Requests): number {
  let count = 0;
  for (let row = 0; row < requests.length; row += 1) {
    if (requests.at("answered", row) !== 1 && !OURS.includes(requests.at("outcome", row))) count += 1;
  }
  return count;
}

/** Consecutive requests without a response. Instants in milliseconds since 1970. */
interface Silence {
  readonly from: number;
  to: number;
  requests: number;
  readonly outcomes: Record<string, number>;
}

function addTo(silence: Silence, requests: Requests, index: number): void {
  const outcome = OUTCOMES[requests.at("outcome", index)] ?? "unknown";
  silence.outcomes[outcome] = (silence.outcomes[outcome] ?? 0) + 1;
  silence.requests += 1;
  silence.to = Math.max(silence.to, requests.end(index));
}
