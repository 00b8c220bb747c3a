/** The arrivals of a load, and the virtual users that they need. Pure. */

import { isWorkloadKind, type WorkloadKind } from "../../contract/operations.ts";
import { countIn } from "../../settings/load/segment.ts";
import { haveOwnArrivals } from "../inputs/random.ts";
import type { LoadSettings, Workload } from "../rules/checked-settings.ts";

/** What shapes arrivals: those of a whole load, or of a workload that has its own. */
export type ArrivalSettings = Pick<LoadSettings, "rate" | "vus" | "arrival" | "rampUp" | "maxInFlight" | "maxRequests">;

/** Arrivals with virtual users of their own, under the name of their k6 scenario. */
export interface Stream extends ArrivalSettings {
  readonly name: string;
  /** Those that share the arrivals. */
  readonly workloads: readonly Workload[];
}

/** The streams of a load: one for each workload that has arrivals of its own, else a single one. */
export const streamsOf = (scenario: string, settings: LoadSettings): readonly Stream[] =>
  hasStreams(settings)
    ? settings.workloads.map((own) => ({ ...own, name: own.name ?? scenario, workloads: [own] }))
    : [{ ...settings, name: scenario }];

/** Whether each workload of a load has arrivals of its own. */
export const hasStreams = ({ workload }: Pick<LoadSettings, "workload">): boolean =>
  workload !== undefined && haveOwnArrivals(workload.workloads);

/**
 * Whether nothing follows the responses of a stream, so that a few virtual users of k6 make all requests. Not where users wait for them: in
 * conversations, with videos, and in scenarios of a user's own.
 * @param sends what arrivals of a scenario that comes with Assay send
 */
export const handsOver = ({ workloads }: Stream, sends: WorkloadKind | undefined): boolean =>
  workloads.every(
    ({ operation = sends, turns }) => turns === undefined && operation !== undefined && operation !== "video",
  );

/** Virtual users of a run, of all its streams. */
export const usersOf = (settings: LoadSettings): number =>
  streamsOf("", settings).reduce((sum, stream) => sum + usersIn(stream, settings.warmup), 0);

/** Those of them that its part of the run has. */
export const usersHere = (settings: LoadSettings): number => usersOfPart(streamsOf("", settings), settings);

const usersOfPart = (streams: readonly Stream[], { warmup, segment }: LoadSettings): number =>
  streams.reduce((sum, stream) => sum + countIn(usersIn(stream, warmup), segment), 0);

/** Those of them that wait for responses, or may: a trace may have conversations. */
export const waitingUsersHere = (scenario: string, settings: LoadSettings): number => {
  const sends = settings.workload === undefined && isWorkloadKind(scenario) ? scenario : undefined;
  const waiting = streamsOf("", settings).filter(
    (stream) => stream.arrival.process === "trace" || !handsOver(stream, sends),
  );
  return usersOfPart(waiting, settings);
};

/**
 * Virtual users of a stream: `vus` of a closed loop; in an open one as many as requests may be in flight. Never more than
 * there are arrivals, when those of a warm-up do not add to them.
 */
export function usersIn(
  { vus, maxInFlight, maxRequests = Number.POSITIVE_INFINITY }: ArrivalSettings,
  warmup: number,
): number {
  return Math.min(vus ?? maxInFlight, warmup > 0 ? Number.POSITIVE_INFINITY : maxRequests);
}
