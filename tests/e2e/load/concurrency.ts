/** How many requests were open at once, from the records of a run. */

import type { RequestRecord } from "../../../formats/records.ts";
import { readInstant } from "../../../settings/instants.ts";

/** Most requests that were open at once among those sent within a time, in milliseconds from the first. */
export function mostOpen(records: readonly RequestRecord[], fromMs: number, toMs: number): number {
  const first = Math.min(...records.map(({ sent }) => readInstant(sent)));
  const times = records
    .map(({ sent, e2e = 0 }) => ({ at: readInstant(sent) - first, took: e2e }))
    .filter(({ at }) => at >= fromMs && at < toMs);
  return Math.max(0, ...times.map(({ at }) => times.filter((one) => one.at <= at && at < one.at + one.took).length));
}
