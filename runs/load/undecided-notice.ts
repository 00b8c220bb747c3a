/** What a load cannot decide is said before it starts: the objectives that need more requests than it schedules. Pure. */

import { parseSlo, type Slo } from "../../load/objectives/slo.ts";
import { unitsForObjective } from "../../reports/load/metrics/units-for-objective.ts";
import { formatNumber } from "../../reports/numbers.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { modelOfPart } from "../../settings/load/models.ts";
import { formatAtLeast, LONGEST_MS } from "../../settings/units.ts";
import { arrivalsOf, arrivalsOfWorkload, type Planned } from "./planned-arrivals.ts";

/** An objective that needs more than the load has. */
interface Short {
  readonly expr: string;
  readonly needed: number;
  /** How many times as long a load would have enough. */
  readonly times: number;
}

/**
 * The objectives that the load is too short for, with the duration that decides them; undefined when it has enough for all, and
 * for users, who send as fast as the target responds.
 */
export function undecidedNotice(plan: Planned): string | undefined {
  const all = arrivalsOf(plan, true);
  const [whole, windowed] = partition(objectivesOf(plan.settings).map(parseSlo), ({ within }) => within === undefined);
  const short = whole.flatMap((slo) => shortOf(slo, plan, all)).sort((a, b) => a.times - b.times);
  const sentences = [ofWhole(short, plan, all), ...windowed.map((slo) => ofWindows(slo, plan, all))];
  return sentences.filter((sentence) => sentence !== undefined).join(" ") || undefined;
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** An objective whose windows hold too few requests, on the mean over the run. */
function ofWindows(slo: Slo, plan: Planned, all: number): string | undefined {
  const { duration } = plan.settings;
  const { windowMs = duration } = slo.within ?? {};
  const [short] = shortOf(slo, plan, all, windowMs / duration);
  if (short === undefined) return undefined;
  return `${slo.expr} needs ${formatNumber(short.needed)} requests per window: use a higher rate, or windows of ${formatAtLeast(windowMs * short.times)}.`;
}

function ofWhole(short: readonly Short[], plan: Planned, all: number): string | undefined {
  if (short.length === 0) return undefined;
  const needs = short.map(({ expr, needed }) => `${expr} needs ${formatNumber(needed)}`).join(", ");
  return `${formatNumber(Math.floor(all))} requests are scheduled: ${needs}. ${advice(short, plan)}`;
}

/** @param share of the run that is looked at */
function shortOf(slo: Slo, plan: Planned, all: number, share = 1): readonly Short[] {
  const arrivals = share * (slo.part === undefined ? all : arrivalsOfPart(slo.part, plan, all));
  const needed = unitsForObjective(slo, plan.settings.confidence);
  // Turns of one conversation are alike: they count as one.
  return arrivals >= needed ? [] : [{ expr: slo.expr, needed, times: needed / arrivals }];
}

function advice(short: readonly Short[], { settings, traces }: Planned): string {
  const decided = short.filter(({ times }) => settings.duration * times <= LONGEST_MS);
  const [first, last] = [decided[0], decided.at(-1)];
  if (traces !== undefined || settings.maxRequests !== undefined || first === undefined || last === undefined) {
    return "These stay undecided, which is exit code 2.";
  }
  const flag = ({ times }: Short): string => `--duration ${formatAtLeast(settings.duration * times)}`;
  if (decided.length < short.length) return `Use ${flag(last)} to decide ${decided.length} of ${short.length}.`;
  if (short.length === 1) return `Use ${flag(first)} to decide it.`;
  return flag(first) === flag(last)
    ? `Use ${flag(first)} to decide them.`
    : `Use ${flag(first)} to decide the first, ${flag(last)} to decide all.`;
}

/** Arrivals of a workload; all of them for a model, whose part of them is not counted here. */
function arrivalsOfPart(part: string, plan: Planned, all: number): number {
  if (modelOfPart(part) !== undefined) return all;
  const own = plan.settings.workloads.find(({ name }) => name === part);
  return own === undefined ? Number.POSITIVE_INFINITY : arrivalsOfWorkload(own, plan, all, true);
}
