/** Checks and notices for a run that several machines share, and for one that starts at a given time. Pure. */

import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { type Stream, streamsOf, usersIn } from "../../load/shape/streams.ts";
import { formatSeconds, plural } from "../../reports/numbers.ts";
import { steadyRate } from "../../settings/load/rates.ts";
import type { Segment } from "../../settings/load/segment.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** Arrivals of which some parts of a load would have no virtual user. */
interface Unshared {
  /** The setting that limits their virtual users, with its value: `max-in-flight of 2`. */
  readonly limit: string;
  /** Whose they are; absent: of the whole load. */
  readonly workload?: string;
}

/** The first arrivals that have fewer virtual users than the load has parts; undefined when all have enough. */
export function unsharedArrivals(parts: number, settings: LoadSettings): Unshared | undefined {
  const stream = streamsOf("", settings).find((each) => usersIn(each, settings.warmup) < parts);
  if (stream === undefined) return undefined;
  const { vus, maxInFlight } = stream;
  const users = usersIn(stream, settings.warmup);
  const name = users < (vus ?? maxInFlight) ? "max-requests" : vus === undefined ? "max-in-flight" : "vus";
  return { limit: `${name} of ${users}`, ...(stream.name !== "" && { workload: stream.name }) };
}

/** ` for the workload chat`; empty for the arrivals of the whole load. */
export const forWorkload = (workload = ""): string => (workload === "" ? "" : ` for the workload ${workload}`);

/** @throws UsageError when some arrivals have fewer virtual users than segments: a segment without one would drop them. */
export function checkSegment({ part, of }: Segment, settings: LoadSettings): void {
  const unshared = unsharedArrivals(of, settings);
  if (unshared === undefined) return;
  const { limit, workload } = unshared;
  throw new UsageError(
    `Cannot run segment ${part}/${of}: the whole run's ${limit}${forWorkload(workload)} leaves some of ${of} segments without a virtual user. Raise it to at least ${of}; each segment gets its share.`,
  );
}

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** `12.3 s`, `5 min 10 s`, `3 hours`, `40 days`. */
function timeAgo(seconds: number): string {
  if (seconds < 2 * HOUR_S) return formatSeconds(seconds);
  const [unit, length] = seconds < 2 * DAY_S ? (["hour", HOUR_S] as const) : (["day", DAY_S] as const);
  return plural(Math.round(seconds / length), unit);
}

/** @throws UsageError when the instant has passed */
export function checkStart(startAt: number, now: number): void {
  if (now < startAt) return;
  throw new UsageError(
    `Cannot start at ${new Date(startAt).toISOString()}: by this machine's clock that was ${timeAgo((now - startAt) / 1_000)} ago. Give an instant at least 10 s ahead, so that k6 can get ready, and check the clocks of all machines.`,
  );
}

/**
 * The first arrivals of a load that are one schedule only if its segments start together; undefined when there are none: users
 * and a Poisson process need no common start.
 */
export const needingCommonStart = (settings: LoadSettings): Stream | undefined =>
  streamsOf("", settings).find(
    ({ vus, arrival, rate }) =>
      vus === undefined && !(arrival.process === "poisson" && rate && steadyRate(rate) !== undefined),
  );

/** A sentence for a segment that will not start together with the others; undefined when it will, or need not. */
export function startNotice({ of }: Segment, settings: LoadSettings): string | undefined {
  if (of === 1 || settings.startAt !== undefined || needingCommonStart(settings) === undefined) return undefined;
  return "This segment does not start together with the others: only with the same --start-at on every machine do they form one schedule.";
}

/** A sentence for a start in the future. */
export const waitNotice = (startAt: number, now: number): string =>
  `Starts at ${new Date(startAt).toISOString()}, in ${Math.max(0, (startAt - now) / 1_000).toFixed(0)} s.`;
