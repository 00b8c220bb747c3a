/**
 * The arrivals that a k6 without the extension can make, and the k6 options for them. Pure: `assay` computes the same
 * before it starts k6, and afterwards, how many arrivals were due.
 *
 * k6's own executor hands each arrival of an open loop to a free virtual user, and drops it when there is none: it never
 * waits. How many it dropped is the difference between the plan and what started.
 */

import type { Options } from "k6/options";
import type { Schedule } from "k6/x/assay";
import { steadyRate } from "../../settings/rates.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { LoadSettings } from "./checked-settings.ts";
import { optionsOf, SHORTEST_MS, scheduleOf, streamsOf, usersOf } from "./run-options.ts";

/** An open loop at a constant rate: arrival `n` is due `n * periodMs` after the start. */
export interface Ticks {
  readonly periodMs: number;
  /** Arrivals of the whole run, and those of them that are due in the warm-up. */
  readonly count: number;
  readonly warmup: number;
}

/** Tolerance for periods that fit into the window but are not whole numbers. */
const ROUNDING = 1e-9;
const ticksWithin = (ms: number, periodMs: number): number => Math.ceil((ms / periodMs) * (1 - ROUNDING));

/**
 * The arrivals of an open loop; undefined for a closed one, whose users start again when they were answered.
 * @throws UsageError for an arrival process that k6 cannot make exactly
 */
export function ticksOf({ process, rates, warmupMs, durationMs, maxArrivals }: Schedule): Ticks | undefined {
  if (process === "closed") return undefined;
  const rate = rates && steadyRate(rates);
  if (process !== "constant" || rate === undefined) {
    const asked = process === "constant" ? "a rate that changes" : `${process} arrivals`;
    throw new UsageError(
      `Cannot make ${asked} with a k6 without Assay's extension, which can only start requests at one constant rate. ` +
        "Use one --rate with --arrival constant, or --vus; or install Go 1.26 or newer (https://go.dev/dl), from which Assay builds its own k6.",
    );
  }
  const periodMs = 1_000 / rate;
  const warmup = ticksWithin(warmupMs, periodMs);
  const all = ticksWithin(warmupMs + durationMs, periodMs);
  return { periodMs, count: Math.min(all, warmup + (maxArrivals ?? Number.POSITIVE_INFINITY)), warmup };
}

/** Arrivals that were due by a time in milliseconds after the start. */
export const dueBy = ({ periodMs, count }: Ticks, ms: number): number =>
  ms < 0 ? 0 : Math.min(count, Math.floor(ms / periodMs) + 1);

/** The k6 options of the run: for a closed loop the same as with the extension. */
export function stockOptionsOf(scenario: string, settings: LoadSettings): Options {
  const options = optionsOf(scenario, settings);
  const [stream] = streamsOf(scenario, settings);
  const ticks = ticksOf(scheduleOf(scenario, settings, stream));
  if (ticks === undefined) return options;
  const { periodMs } = ticks;
  const users = usersOf(settings);
  const executor = {
    executor: "constant-arrival-rate" as const,
    rate: 1,
    timeUnit: nanoseconds(periodMs),
    duration: nanoseconds(lengthOf(ticks)),
    preAllocatedVUs: users,
    maxVUs: users,
    gracefulStop: nanoseconds(settings.drain),
  };
  return { ...options, scenarios: { [stream?.name ?? scenario]: executor } };
}

/** A little after the last arrival, so that a busy k6 makes that one too; those that it makes beyond are not taken. */
const lengthOf = ({ periodMs, count }: Ticks): number =>
  Math.max((count - 1) * periodMs + Math.max(periodMs / 2, SLACK_MS), SHORTEST_MS);
const SLACK_MS = 100;

/** When nothing starts any more, in milliseconds since the start; what is open then may be cut off. */
export const endOf = ({ warmupMs, durationMs }: Schedule, ticks: Ticks | undefined): number =>
  ticks === undefined ? warmupMs + durationMs : Math.min(lengthOf(ticks), warmupMs + durationMs);

/** The finest that k6 reads, so that the rate is kept exactly. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1e6)}ns`;

/**
 * The phase of the arrival that k6 started as its `index`-th, at a time in milliseconds after the start; undefined when its
 * time is over. Numbers go before the clock: an arrival that is a little late stays in its phase.
 */
export function arrivalPhase(
  schedule: Schedule,
  ticks: Ticks | undefined,
  index: number,
  ms: number,
): "warmup" | "measure" | undefined {
  const { warmupMs, durationMs } = schedule;
  if (ticks === undefined) return ms < warmupMs ? "warmup" : ms < warmupMs + durationMs ? "measure" : undefined;
  if (index >= ticks.count || ms >= ticks.count * ticks.periodMs - CLOCK_MS) return undefined;
  return index >= ticks.warmup || ms >= warmupMs + LATE_MS ? "measure" : "warmup";
}

/** k6 tells the start of the schedule in whole milliseconds. */
export const CLOCK_MS = 1;

/** As late as a healthy client may be; later arrivals belong to the time when they started. */
const LATE_MS = 50;

/** The phase of a request that is not the first of an arrival: by the time. */
export function phaseAt({ warmupMs, durationMs }: Schedule, ms: number): "warmup" | "measure" | "drain" {
  if (ms < warmupMs) return "warmup";
  return ms < warmupMs + durationMs ? "measure" : "drain";
}
