/** How a load run went: what of its plan took place, and when. */

import type { RecordHeader } from "../../formats/records.ts";
import type { RunResult } from "../../formats/run.ts";
import type { Stop } from "../../formats/stop.ts";
import { readInstant } from "../../settings/instants.ts";
import { measuredSpan, type Span } from "./metrics/span.ts";
import type { OwnFaults } from "./metrics/unit-counts.ts";
import { type Absent, absentOf } from "./read/absent-segments.ts";
import { Interruptions, interruptionsOf } from "./read/interruptions.ts";
import { shareOf } from "./read/segments.ts";
import { cameToItsEnd, type Read, startsOf } from "./read/shards.ts";
import { fullSeconds, lateShareOf } from "./validity/validity.ts";

/** How a run went: what of its plan took place, and when. */
export interface Course {
  readonly plan: RunResult["settings"];
  readonly span: Span;
  readonly interrupted: boolean;
  /** Segments of which no records, or not all, are there. */
  readonly absent: Absent;
  /** When the load generators themselves can have failed units of work, and the share of the time for which one was late. */
  readonly own: { readonly faults: OwnFaults; readonly lateShare: number };
}

/**
 * How the load went that was read.
 * @param steady the part of its measured time that is measured; absent: all of it
 */
export async function courseOf(
  { requests, clients, headers, shards }: Read,
  { isMerged, steady }: { readonly isMerged: boolean; readonly steady?: Span | undefined },
): Promise<Course> {
  const plan: RunResult["settings"] = headers[0]?.settings ?? {};
  const interrupted = !clients.every(cameToItsEnd);
  const offered = clients.reduce((sum, lines) => sum + (lines.at(-1)?.offered.measure ?? 0), 0);
  const segments = headers.flatMap(({ segment }) => segment ?? []);
  const share = segments.length === 0 ? 1 : shareOf(segments);
  const bounded = plan.maxRequests !== undefined && offered >= Math.floor(plan.maxRequests * share);
  const starts = startsOf(clients);
  const span =
    steady ??
    (await measuredSpan(requests, plan, {
      startedAt: earliest(headers.map(({ startedAt }) => startedAt)),
      scheduleStartedAt: starts.length === 0 ? undefined : Math.min(...starts),
      lastStartedAt: starts.length === 0 ? undefined : Math.max(...starts),
      cutShort: interrupted || bounded,
    }));
  const present = shards.map(({ header, client }) => ({
    segment: header?.segment ?? undefined,
    part: header?.settings.segment,
    client,
  }));
  return {
    plan,
    span,
    interrupted,
    absent: absentOf(isMerged ? present : [], isClosed(plan)),
    own: {
      faults: ownFaults(shards),
      lateShare: clients.reduce((most, lines) => Math.max(most, lateShareOf(lines)), 0),
    },
  };
}

function ownFaults(shards: Read["shards"]): OwnFaults {
  const startOf = (header: RecordHeader | undefined) => readInstant(header?.startedAt ?? "");
  const interruptions = shards.flatMap(({ header, client }) => interruptionsOf(client, startOf(header)));
  const full = shards.flatMap(({ header, client }) => fullSeconds(client, startOf(header)));
  return {
    interruptions: new Interruptions(interruptions),
    unable: new Interruptions([...interruptions, ...full]),
  };
}

/** Whether users make their own arrivals, at least those of one workload. */
const isClosed = ({ vus, workload }: RunResult["settings"]): boolean =>
  vus !== undefined || (workload?.workloads ?? []).some(({ settings }) => settings["vus"] !== undefined);

/** Why Assay ended a run before its time, as the result states it. */
export const abortedBy = ({ t, expr, reason }: Stop, { span }: Course): NonNullable<RunResult["aborted"]> => ({
  atS: t,
  phase: span.origin + t * 1_000 < span.from ? "warmup" : "measure",
  ...(expr !== undefined && { expr }),
  reason,
});

/** The first of some instants, in milliseconds since 1970; undefined where none can be read. */
export function earliest(instants: readonly string[]): number | undefined {
  const known = instants.map(readInstant).filter((instant) => !Number.isNaN(instant));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** How long was measured, or was to be, in milliseconds; undefined where requests or a trace decide it, and not a duration. */
export function measuredByDuration({ plan, span, interrupted }: Course): number | undefined {
  const { duration, maxRequests, arrival } = plan;
  if (maxRequests !== undefined || arrival?.file !== undefined) return undefined;
  return interrupted || duration === undefined ? span.seconds * 1_000 : duration;
}
