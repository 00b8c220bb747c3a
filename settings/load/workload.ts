/**
 * What a workload is: some of the arrivals of a load, with settings of their own. Flags describe a load of one workload, a
 * file one of several. Pure: runs in Node and inside k6.
 */

import type { WorkloadKind } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import type { WorkloadSettings } from "./workload-settings.ts";

/** One of several workloads, as a file describes it. */
export interface WorkloadEntry {
  /** Names it in records, results and objectives. */
  readonly name: string;
  /** What its arrivals send; absent where it has a scenario. */
  readonly operation?: WorkloadKind | undefined;
  /** The file of a scenario of the user's own, which its arrivals run. */
  readonly scenario?: string | undefined;
  /** Its part of the arrivals that the workloads share; absent where it has arrivals of its own. */
  readonly weight?: number | undefined;
  /** On whose behalf it sends. */
  readonly tenant?: string | undefined;
  /** Environment variable that holds its API key; absent: the keys of the load. */
  readonly apiKeyEnv?: string | undefined;
  /** Settings in which it differs from its load. */
  readonly settings: Partial<WorkloadSettings>;
}

/** How the name of a scenario file can end. */
export const SCENARIO_ENDINGS = [".ts", ".mts", ".js", ".mjs"] as const;

/** What decides the arrivals of a workload that has its own. */
export const OWN_ARRIVALS = ["rate", "vus", "arrival"] as const;

type OfArrivals = { readonly [name in (typeof OWN_ARRIVALS)[number]]?: unknown };

/** The settings that give a workload arrivals of its own: a rate, users, or a trace, also as a user writes them. */
export const arrivalSettingsIn = (settings: OfArrivals): readonly (typeof OWN_ARRIVALS)[number][] =>
  OWN_ARRIVALS.filter((name) => settings[name] !== undefined && (name !== "arrival" || isTrace(settings[name])));

const isTrace = (arrival: unknown): boolean =>
  isObject(arrival) ? arrival["process"] === "trace" : String(arrival).startsWith("trace:");

/** Whether a workload has arrivals of its own. */
export const hasArrivals = ({ settings }: { readonly settings: OfArrivals }): boolean =>
  arrivalSettingsIn(settings).length > 0;

/** The workloads of a load, which has the title of the file that describes them. */
export interface Workloads {
  readonly title: string;
  readonly workloads: readonly WorkloadEntry[];
}

/** The workloads whose shared prefixes are sent before the load: those of chats. */
export const primedIn = <T extends Partial<WorkloadSettings> & Pick<Partial<WorkloadEntry>, "operation">>(
  workloads: readonly T[],
): readonly T[] =>
  workloads.filter(
    ({ prime, sharedPrefixTokens, operation = "chat" }) =>
      prime && sharedPrefixTokens !== undefined && (operation === "chat" || operation === "chat-stream"),
  );

/** How long that may take, in milliseconds. */
export const PRIME_MS = 300_000;
