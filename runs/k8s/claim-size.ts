/** How large the results of a load become, so that their claim holds them. Pure. */

import { formatCount } from "../../cli/preview.ts";
import { usersHere } from "../../load/shape/streams.ts";
import { costOf } from "../../scenarios/scenario-list.ts";
import type { LoadPlan } from "../load/plan-load.ts";
import { arrivalsOf, costed } from "../load/planned-arrivals.ts";

/** What was measured of the records of a load, and by which command. */
export const MEASURED_BYTES = {
  record: {
    value: 530,
    from: "`assay load chat-stream --records summary`: 0.53 GB for a million streams ([file formats](file-formats.md))",
  },
  gap: {
    value: 6,
    from: "the same with `--records full`: 1.08 GB with 100 chunks each, and up to 6 of gaps above 9,999 µs",
  },
} as const;

const GIB = 2 ** 30;

/** Users of a closed loop send as fast as the target responds; planned for is a request per second of each. */
const REQUESTS_PER_USER_AND_S = 1;

/** A task of a video has a record per poll, and two more. */
const RECORDS_PER_VIDEO = 30;

/** A line of the health of a runner, once per second, with all its samples. */
const HEALTH_LINE_BYTES = 4_000;

/** Errors have longer records, and a full disk ends a run. */
const MARGIN = 2;

export interface ClaimSize {
  readonly bytes: number;
  /** The arithmetic, in a sentence without its end. */
  readonly reason: string;
}

/** The size of a claim for the results of a load, or of each of the claims of its runners. */
export function claimSizeFor(plan: LoadPlan, runners: number, claims = 1): ClaimSize {
  const { scenario, settings } = plan;
  const { warmup, duration, records: form } = settings;
  const seconds = (warmup + duration) / 1_000;
  const { outputTokens, videoJobs } = costOf(scenario, costed(plan));
  const arrivals = arrivalsOf(plan);
  const isKnown = Number.isFinite(arrivals);
  const due = isKnown
    ? arrivals / (settings.segment?.of ?? 1)
    : usersHere(settings) * seconds * REQUESTS_PER_USER_AND_S;
  const records = due * (1 + videoJobs * RECORDS_PER_VIDEO);
  const gaps = form === "full" ? due * outputTokens : 0;
  const estimate =
    records * MEASURED_BYTES.record.value + gaps * MEASURED_BYTES.gap.value + runners * seconds * HEALTH_LINE_BYTES;
  const bytes = Math.max(1, Math.ceil((estimate * MARGIN) / claims / GIB)) * GIB;
  const of = isKnown ? "" : `, a request per second of each of ${formatCount(usersHere(settings))} users`;
  return {
    bytes,
    reason: `Results: about ${(estimate / 1e9).toPrecision(2)} GB of ${formatCount(records)} records${of}; ${claims === 1 ? "the claim" : `each of ${claims} claims`} gets ${bytes / GIB} GiB (--results-size)`,
  };
}
