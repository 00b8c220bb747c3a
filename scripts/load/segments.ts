/** What must hold, and what should be known, before one part of a run that several machines share is started. Pure. */

import type { LoadSettings } from "../../scenarios/checked-settings.ts";
import { steadyRate } from "../../settings/rates.ts";
import type { Segment } from "../../settings/segment.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** @throws UsageError when there are fewer users than segments: those without one would drop their arrivals. */
export function checkSegment({ part, of }: Segment, { vus, maxInFlight }: LoadSettings): void {
  const users = vus ?? maxInFlight;
  if (users >= of) return;
  throw new UsageError(
    `Cannot run segment ${part}/${of}: the whole run's ${vus === undefined ? "max-in-flight" : "vus"} of ${users} leaves some of ${of} segments without a user. Raise it to at least ${of}; each segment gets its share.`,
  );
}

/** @throws UsageError when the instant has passed */
export function checkStart(startAt: number, now: number): void {
  if (now < startAt) return;
  throw new UsageError(
    `Cannot start at ${new Date(startAt).toISOString()}: by this machine's clock that was ${((now - startAt) / 1_000).toFixed(1)} s ago. Give an instant that is far enough ahead for k6 to get ready (10 s or more), and check the clocks of all machines.`,
  );
}

/** A sentence for a segment that will not keep step with the others; undefined when it need not, or will. */
export function stepNotice({ of }: Segment, { vus, arrival, rate, startAt }: LoadSettings): string | undefined {
  const needsNoStart = vus !== undefined || (arrival.process === "poisson" && rate && steadyRate(rate) !== undefined);
  if (of === 1 || startAt !== undefined || needsNoStart) return undefined;
  return "This segment keeps no step with the others: only with the same --start-at on every machine are they together one schedule.";
}

/** A sentence for a start that is still ahead. */
export const waitNotice = (startAt: number, now: number): string =>
  `Starts at ${new Date(startAt).toISOString()}, in ${Math.max(0, (startAt - now) / 1_000).toFixed(0)} s.`;
