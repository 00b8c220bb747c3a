/**
 * From settings to the options of a run: arrivals for the extension's pacer, and virtual users for k6. Pure.
 *
 * k6 does not make the arrivals. Its executor only provides virtual users, each of which requests its next arrival from
 * the pacer: as many as a closed loop has users, or as requests may be in flight in an open loop.
 */

import type { Options, Scenario } from "k6/options";
import type { RunOptions, Schedule } from "k6/x/assay";
import type { RecordedSettings } from "../../formats/records.ts";
import { formatRates, steady, steadyRate } from "../../settings/rates.ts";
import { defaultRate } from "../scenario-list.ts";
import type { LoadSettings } from "./checked-settings.ts";
import { gapSummaryOf } from "./gap-summary.ts";

/** Time to cancel the video tasks that are still open after a run. */
export const TEARDOWN_MS = 60_000;

/** k6 rejects shorter executors. */
export const SHORTEST_MS = 1_000;

const milliseconds = (ms: number): string => `${ms}ms`;

/** When requests start: in a closed loop of `vus` virtual users, else as arrivals at `rate`. */
export function scheduleOf(scenario: string, settings: LoadSettings): Schedule {
  return {
    ...arrivalsOf(scenario, settings),
    warmupMs: settings.warmup,
    durationMs: settings.duration,
    ...(settings.maxRequests === undefined ? {} : { maxArrivals: settings.maxRequests }),
    seed: settings.seed,
    ...(settings.startAt === undefined ? {} : { startAtMs: settings.startAt }),
  };
}

function arrivalsOf(
  scenario: string,
  { vus, rate, arrival }: LoadSettings,
): Pick<Schedule, "process" | "rates" | "cv"> {
  if (vus !== undefined) return { process: "closed" };
  if (arrival.process === "trace") return { process: "trace" };
  return { rates: rate ?? steady(defaultRate(scenario)), ...arrival };
}

/**
 * Virtual users of a run: `vus` of a closed loop; in an open one as many as requests may be in flight. Never more than there
 * are arrivals, when those of a warm-up do not add to them.
 */
export function usersOf({ vus, maxInFlight, maxRequests = Number.POSITIVE_INFINITY, warmup }: LoadSettings): number {
  return Math.min(vus ?? maxInFlight, warmup > 0 ? Number.POSITIVE_INFINITY : maxRequests);
}

/** The options of a run for the extension. */
export function runOptionsOf(scenario: string, settings: LoadSettings): RunOptions {
  const gapSummary = gapSummaryOf(settings);
  return {
    schedule: scheduleOf(scenario, settings),
    stallMs: settings.stall,
    timeoutMs: settings.timeout,
    ...(settings.memoryLimit === undefined ? {} : { memoryLimitBytes: settings.memoryLimit }),
    ...(settings.caFile === undefined ? {} : { caFile: settings.caFile }),
    ...(gapSummary === undefined ? {} : { gapSummary }),
    ...(settings.traceparent === true ? { traceparent: true } : {}),
    settings: recordedSettings(scenario, settings),
  };
}

/** The settings as the record holds them: a steady rate as a number, one that changes as the text that was given. */
const recordedSettings = (scenario: string, { rate, ...settings }: LoadSettings): RecordedSettings => ({
  scenario,
  ...settings,
  ...(rate !== undefined && { rate: steadyRate(rate) ?? formatRates(rate) }),
});

/**
 * The options of a run for k6.
 * @param now milliseconds since 1970
 */
export function optionsOf(scenario: string, settings: LoadSettings, now = Date.now()): Options {
  return {
    scenarios: { [scenario]: executorOf(settings, now) },
    insecureSkipTLSVerify: settings.insecure ?? false,
    // These size the pool of idle connections; a virtual user has one request open at a time.
    batch: 1,
    batchPerHost: 1,
    teardownTimeout: milliseconds(TEARDOWN_MS),
  };
}

/**
 * One iteration per virtual user, which takes arrivals until the extension has no more. The time is a limit in case that it
 * fails to end them; it includes the wait for `startAt`.
 */
function executorOf(settings: LoadSettings, now: number): Scenario {
  const wait = settings.startAt === undefined ? 0 : Math.max(0, Math.ceil(settings.startAt - now));
  return {
    executor: "per-vu-iterations",
    vus: usersOf(settings),
    iterations: 1,
    maxDuration: milliseconds(Math.max(wait + settings.warmup + settings.duration, SHORTEST_MS)),
    gracefulStop: milliseconds(settings.drain),
  };
}
