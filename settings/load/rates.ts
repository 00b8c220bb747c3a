/** Rates that change within a run: `10..100` is a ramp, `10,20,40` are steps, and both combine. Pure. */

import { parseRate } from "../units.ts";
import { UsageError } from "../usage-error.ts";

/** A part of a run in which the rate changes linearly from one number of events per second to another. */
export interface RateStage {
  readonly from: number;
  readonly to: number;
}

/** The rates of a run: its stages, all equally long. A steady rate is one stage. */
export type RateProfile = readonly RateStage[];

const RAMP = "..";
const STEP = ",";
const ZERO = /^\s*0+(?:\.0*)?\s*(?:\/\s*(?:s|m|h))?\s*$/;

/** One rate for the whole run. */
export const steady = (rate: number): RateProfile => [{ from: rate, to: rate }];

/** The one rate of a profile that never changes; undefined for another. */
export function steadyRate(profile: RateProfile): number | undefined {
  const [first] = profile;
  return first !== undefined && profile.every(({ from, to }) => from === first.from && to === first.from)
    ? first.from
    : undefined;
}

/**
 * Reads `20/s`, the ramp `10..100`, the steps `10,20,40`, or both as in `10..50,50/s`. A unit holds for the rates before
 * it that have none. A rate within a ramp or steps may be 0.
 * @throws UsageError for any other text, and where every rate is 0
 */
export function parseRates(text: string): RateProfile {
  refuseThousands(text);
  let unit = "";
  const stages: RateStage[] = [];
  // From right to left, since a unit holds for what stands before it.
  for (const step of text.split(STEP).reverse()) {
    const bounds = step.split(RAMP).reverse();
    const [to, from = to] = bounds.map((bound) => {
      unit = /\/\s*\w+\s*$/.exec(bound)?.[0] ?? unit;
      return readRate(bound.includes("/") ? bound : bound + unit, text);
    });
    if (to === undefined || from === undefined || bounds.length > 2) throw unreadable(text);
    stages.unshift({ from, to });
  }
  if (stages.every(({ from, to }) => from === 0 && to === 0)) throw unreadable(text);
  return stages;
}

/** So much lies between two steps only by mistake. */
const MOST_BETWEEN_STEPS = 100;

/** Asks what is meant by `1,000`, which reads as a step to 1 and one to 0. @throws UsageError */
function refuseThousands(text: string): void {
  const [, first = "", second = "", unit = ""] = /^\s*([1-9]\d{0,2}),(\d{3})\s*(\/\s*\w+)?\s*$/.exec(text) ?? [];
  if (second === "") return;
  if (!second.startsWith("0") && Number(second) / Number(first) < MOST_BETWEEN_STEPS) return;
  throw new UsageError(
    `"${text}" may mean one rate or two steps; write ${first}${second}${unit} for one rate, or ${first}, ${Number(second)}${unit} with a space for steps`,
  );
}

function readRate(bound: string, whole: string): number {
  try {
    return ZERO.test(bound) ? 0 : parseRate(bound);
  } catch (error) {
    throw bound.trim() === whole.trim() ? error : unreadable(whole);
  }
}

const unreadable = (text: string): UsageError =>
  /\.\.|,/.test(text)
    ? new UsageError(
        `"${text}" is not a rate that changes; write a ramp such as 10..100, steps such as 10,20,40, or both, such as 10..50,50/s`,
      )
    : new UsageError(`"${text}" is not a rate above zero; write one such as 20/s, 0.5/s or 600/m`);

/** Writes rates per second the way `parseRates` reads them. */
export const formatRates = (profile: RateProfile, write: (rate: number) => string = String): string =>
  profile.map(({ from, to }) => (from === to ? write(from) : `${write(from)}${RAMP}${write(to)}`)).join(STEP);

/** Events that a profile makes in a number of milliseconds: the integral of the rate. */
export function eventsIn(profile: RateProfile, ms: number): number {
  const total = profile.reduce((sum, { from, to }) => sum + (from + to) / 2, 0);
  return profile.length === 0 ? 0 : ((total / profile.length) * ms) / 1_000;
}
