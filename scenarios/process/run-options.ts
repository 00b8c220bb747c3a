/**
 * From settings to the options of a run: arrivals for the extension's pacer, and virtual users for k6. Pure.
 *
 * k6 does not make the arrivals. Its executor only provides virtual users, each of which requests its next arrival from
 * the pacer: as many as a closed loop has users, or at most as many as requests may be in flight in an open loop.
 */

import type { Options, PerVUIterationsScenario } from "k6/options";
import type { RunOptions, Schedule } from "k6/x/assay";
import type { WorkloadKind } from "../../contract/operations.ts";
import { USER_AGENT } from "../../contract/service.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { type ArrivalSettings, handsOver, type Stream, streamsOf, usersIn } from "../../load/shape/streams.ts";
import { CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { settingsJson } from "../../settings/load/load-json.ts";
import { steady } from "../../settings/load/rates.ts";
import { countIn } from "../../settings/load/segment.ts";
import { PRIME_MS, primedIn } from "../../settings/load/workload.ts";
import { defaultRate } from "../scenario-list.ts";
import { gapSummaryOf } from "./gap-summary.ts";

/** k6 rejects shorter executors. */
export const SHORTEST_MS = 1_000;

const milliseconds = (ms: number): string => `${ms}ms`;

/** Virtual users of one iteration each; the executor of the extension makes those first that are needed first. */
type UsersScenario = Omit<PerVUIterationsScenario, "executor" | "iterations"> & { readonly executor: "assay-users" };

/** The options of a run for k6. */
export type LoadOptions = Omit<Options, "scenarios"> & {
  readonly scenarios?: Readonly<Record<string, UsersScenario>>;
};

/** When requests start: in a closed loop of `vus` virtual users, else as arrivals at `rate`. */
export function scheduleOf(scenario: string, settings: LoadSettings, stream: ArrivalSettings = settings): Schedule {
  return {
    ...arrivalsOf(scenario, stream, settings.warmup),
    warmupMs: settings.warmup,
    durationMs: settings.duration,
    ...(stream.maxRequests === undefined ? {} : { maxArrivals: stream.maxRequests }),
    seed: settings.seed,
    ...(settings.startAt === undefined ? {} : { startAtMs: settings.startAt }),
  };
}

function arrivalsOf(
  scenario: string,
  stream: ArrivalSettings,
  warmup: number,
): Pick<Schedule, "process" | "rates" | "cv" | "users" | "rampUpMs"> {
  const { vus, rate, arrival, rampUp } = stream;
  if (vus !== undefined) return { process: "closed", users: usersIn(stream, warmup), rampUpMs: rampUp ?? warmup };
  if (arrival.process === "trace") return { process: "trace" };
  return { rates: rate ?? steady(defaultRate(scenario)), ...arrival };
}

/**
 * The options of a run for the extension.
 * @param sends what arrivals of a scenario that comes with Assay send
 */
export function runOptionsOf(scenario: string, settings: LoadSettings, sends?: WorkloadKind): RunOptions {
  const gapSummary = gapSummaryOf(settings);
  const streams = streamsOf(scenario, settings).map((stream) => {
    const schedule = scheduleOf(stream.name, settings, stream);
    return { scenario: stream.name, schedule: handsOver(stream, sends) ? { ...schedule, handsOver: true } : schedule };
  });
  const [{ schedule } = { schedule: scheduleOf(scenario, settings) }] = streams;
  return {
    schedule,
    ...(streams.length > 1 && { streams }),
    stallMs: settings.stall,
    timeoutMs: settings.timeout,
    ...(settings.memoryLimit === undefined ? {} : { memoryLimitBytes: settings.memoryLimit }),
    ...(settings.caFile === undefined ? {} : { caFile: settings.caFile }),
    ...(settings.clientCert === undefined ? {} : { clientCert: settings.clientCert }),
    ...(settings.clientKey === undefined ? {} : { clientKey: settings.clientKey }),
    ...(settings.withoutHeader === undefined ? {} : { withoutHeader: settings.withoutHeader }),
    ...(settings.h2Connections === undefined ? {} : { h2Connections: settings.h2Connections }),
    ...(settings.resolve === undefined ? {} : { resolve: settings.resolve }),
    ...(gapSummary === undefined ? {} : { gapSummary }),
    ...(settings.traceparent === true ? { traceparent: true } : {}),
    ...(settings.check === undefined ? {} : { check: settings.check }),
    ...(settings.segment === undefined ? {} : { segment: settings.segment }),
    settings: { scenario, ...settingsJson({ ...settings, promptFiles: undefined }) },
  };
}

/**
 * The options of a run for k6.
 * @param now milliseconds since 1970
 */
export function optionsOf(scenario: string, settings: LoadSettings, now = Date.now()): LoadOptions {
  return {
    scenarios: Object.fromEntries(
      streamsOf(scenario, settings).map((stream) => [stream.name, executorOf(stream, settings, now)]),
    ),
    insecureSkipTLSVerify: settings.insecure ?? false,
    userAgent: USER_AGENT,
    // These size the pool of idle connections; a virtual user has one request open at a time.
    batch: 1,
    batchPerHost: 1,
    teardownTimeout: milliseconds(CLEAN_UP_MS),
    ...(primedIn(settings.workloads).length > 0 && { setupTimeout: milliseconds(PRIME_MS) }),
  };
}

/**
 * One iteration per virtual user, which takes arrivals until the extension has no more. The time is a limit if it
 * fails to end them; it includes the wait for `startAt`.
 */
function executorOf(stream: Stream, settings: LoadSettings, now: number): UsersScenario {
  const wait = settings.startAt === undefined ? 0 : Math.max(0, Math.ceil(settings.startAt - now));
  return {
    executor: "assay-users",
    vus: countIn(usersIn(stream, settings.warmup), settings.segment),
    maxDuration: milliseconds(Math.max(wait + settings.warmup + settings.duration, SHORTEST_MS)),
    gracefulStop: milliseconds(settings.drain),
  };
}
