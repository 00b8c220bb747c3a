/**
 * What a workload is: some of the arrivals of a load, with settings of their own. Flags describe a load of one workload, a
 * file one of several. Pure: runs in Node and inside k6.
 */

import { isPart, type Part } from "../formats/outcomes.ts";
import { isObject, parseJson } from "../lib/json.ts";
import { UsageError } from "./usage-error.ts";

/** One of several workloads, as a file describes it. */
export interface WorkloadEntry {
  /** Names it in records, results and objectives. */
  readonly name: string;
  /** What its arrivals send; absent where it has a scenario. */
  readonly operation?: Part | undefined;
  /** The file of a scenario of the user's own, which its arrivals run. */
  readonly scenario?: string | undefined;
  /** Its part of the arrivals that the workloads share; absent where it has arrivals of its own. */
  readonly weight?: number | undefined;
  /** On whose behalf it sends. */
  readonly tenant?: string | undefined;
  /** Environment variable that holds its API key; absent: the keys of the load. */
  readonly apiKeyEnv?: string | undefined;
  /** Settings in which it differs from its load: by name, as a user writes them. */
  readonly settings: Readonly<Record<string, string>>;
}

/** How the name of a scenario file can end. */
export const SCENARIO_ENDINGS = [".ts", ".mts", ".js", ".mjs"] as const;

/** Whether a workload has arrivals of its own. */
export const hasArrivals = ({ settings }: Pick<WorkloadEntry, "settings">): boolean =>
  Object.hasOwn(settings, "rate") || Object.hasOwn(settings, "vus");

/** The workloads of a load, which has the title of the file that describes them. */
export interface Workloads {
  readonly title: string;
  readonly workloads: readonly WorkloadEntry[];
}

/**
 * Reads the name of a file, or workloads as `formatWorkloads` writes them.
 * @throws UsageError for an object of something else
 */
export function readWorkloads(text: string): Workloads | string {
  if (!text.trimStart().startsWith("{")) return text;
  const value = parseJson(text);
  if (areWorkloads(value)) return value;
  throw new UsageError("it is neither the name of a file nor a list of workloads");
}

/** Writes workloads the way `readWorkloads` reads them. */
export const formatWorkloads = (given: Workloads | string): string =>
  typeof given === "string" ? given : JSON.stringify(given);

const areWorkloads = (value: unknown): value is Workloads =>
  isObject(value) &&
  typeof value["title"] === "string" &&
  Array.isArray(value["workloads"]) &&
  value["workloads"].length > 0 &&
  value["workloads"].every(isEntry);

const isEntry = (value: unknown): boolean =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  (isPart(value["operation"]) || typeof value["scenario"] === "string") &&
  isObject(value["settings"]);
