/** Checks and notices for a run that several machines share, and for one that starts at a given time. Pure. */

import type { LoadSettings } from "../../scenarios/process/checked-settings.ts";
import { steadyRate } from "../../settings/rates.ts";
import type { Segment } from "../../settings/segment.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** @throws UsageError when there are fewer virtual users than segments: a segment without one would drop its arrivals. */
export function checkSegment({ part, of }: Segment, { vus, maxInFlight }: LoadSettings): void {
  const users = vus ?? maxInFlight;
  if (users >= of) return;
  throw new UsageError(
    `Cannot run segment ${part}/${of}: the whole run's ${vus === undefined ? "max-in-flight" : "vus"} of ${users} leaves some of ${of} segments without a virtual user. Raise it to at least ${of}; each segment gets its share.`,
  );
}

/** @throws UsageError when the instant has passed */
export function checkStart(startAt: number, now: number): void {
  if (now < startAt) return;
  throw new UsageError(
    `Cannot start at ${new Date(startAt).toISOString()}: by this machine's clock that was ${((now - startAt) / 1_000).toFixed(1)} s ago. Give an instant at least 10 s ahead, so that k6 can get ready, and check the clocks of all machines.`,
  );
}

/** Whether the segments of a load are one schedule only if they start together: users and a Poisson process need no common start. */
export const needsCommonStart = ({ vus, arrival, rate }: LoadSettings): boolean =>
  vus === undefined && !(arrival.process === "poisson" && rate && steadyRate(rate) !== undefined);

/** A sentence for a segment that will not start together with the others; undefined when it will, or need not. */
export function startNotice({ of }: Segment, settings: LoadSettings): string | undefined {
  if (of === 1 || settings.startAt !== undefined || !needsCommonStart(settings)) return undefined;
  return "This segment does not start together with the others: only with the same --start-at on every machine do they form one schedule.";
}

/** A sentence for a start in the future. */
export const waitNotice = (startAt: number, now: number): string =>
  `Starts at ${new Date(startAt).toISOString()}, in ${Math.max(0, (startAt - now) / 1_000).toFixed(0)} s.`;
