/** Outages: intervals in which the target sent no response at all. */

import { OUTCOMES } from "../../../formats/outcomes.ts";
import type { Outage } from "../../../formats/run.ts";
import type { Requests } from "../read/request-columns.ts";

/** This many consecutive requests without a response, in the order in which they were sent, are an outage. */
const OUTAGE_REQUESTS = 5;

/** These say nothing about the target. */
const OURS: readonly number[] = [OUTCOMES.indexOf("cancelled_by_us"), OUTCOMES.indexOf("client_error")];

/**
 * Finds outages after the first response; a run without any response has none. Requests that we cancelled, or that failed on
 * the load generator's machine, are skipped.
 * @param origin instant of second 0, in milliseconds
 */
export function findOutages(requests: Requests, origin: number): Outage[] {
  const sent = requests.column("sent").view();
  const order = Uint32Array.from(sent.keys()).sort((a, b) => (sent[a] ?? 0) - (sent[b] ?? 0));
  const outages: Outage[] = [];
  let sawResponse = false;
  let unanswered: number[] = [];
  const close = (recovered: boolean) => {
    if (sawResponse && unanswered.length >= OUTAGE_REQUESTS)
      outages.push(describe(requests, unanswered, origin, recovered));
    unanswered = [];
  };
  for (const index of order) {
    if (requests.at("answered", index) === 1) {
      close(true);
      sawResponse = true;
    } else if (!OURS.includes(requests.at("outcome", index))) unanswered.push(index);
  }
  close(false);
  return outages;
}

function describe(requests: Requests, rows: readonly number[], origin: number, recovered: boolean): Outage {
  const outcomes: Record<string, number> = {};
  let to = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const outcome = OUTCOMES[requests.at("outcome", row)] ?? "unknown";
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    to = Math.max(to, requests.at("end", row));
  }
  const from = requests.at("sent", rows[0] ?? 0);
  return {
    fromS: (from - origin) / 1_000,
    toS: (to - origin) / 1_000,
    requests: rows.length,
    outcomes,
    recovered,
  };
}
