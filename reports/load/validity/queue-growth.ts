/** Whether the queue of the target grew, of a whole load or of a workload that has a rate of its own. */

import type { RunResult } from "../../../formats/run.ts";
import { parseRates, steadyRate } from "../../../load/spec/rates.ts";
import type { Span } from "../metrics/span.ts";
import type { RunWorkload } from "../read/run-workloads.ts";
import type { Read } from "../read/shards.ts";
import type { UnitOutcome } from "../read/work-units.ts";
import { type QueuedArrivals, saturationOf } from "./saturation.ts";

type Gathered = Pick<Read, "units" | "store">;

/** What was planned, and when it took place. */
interface Course {
  readonly plan: RunResult["settings"];
  readonly span: Span;
}

/**
 * Outcomes of units that took their time, and of those that were cut off, which took at least that; other failures may have been
 * quick because the target refused them.
 */
const TOOK_THEIR_TIME: readonly UnitOutcome[] = ["ok", "timeout", "stalled", "unfinished"];

/**
 * Growth of the target's queue, of an open loop whose rate is constant.
 * @param own a workload that has arrivals of its own; absent: the whole load
 */
export function queueGrowth(
  { units, store }: Gathered,
  { plan, span }: Course,
  own?: RunWorkload,
): RunResult["saturation"] {
  const rate = own === undefined ? plan.rate : ownRateOf(own);
  if (typeof rate !== "number" || plan.vus !== undefined || span.seconds === 0) return undefined;
  const arrivals: QueuedArrivals = (take) => {
    for (let row = 0; row < units.length; row += 1) {
      const { measured, outcome, scheduled, end, workload } = units.unit(row);
      if (!measured || (own !== undefined && workload !== own.name)) continue;
      const dueS = (scheduled - span.from) / 1_000;
      if (outcome === "not_started") take({ dueS, tookMs: Number.POSITIVE_INFINITY });
      else if (TOOK_THEIR_TIME.includes(outcome) && !Number.isNaN(end)) take({ dueS, tookMs: end - scheduled });
    }
  };
  return saturationOf(arrivals, span.seconds, store);
}

/** A constant rate of a workload's own, in arrivals per second. */
function ownRateOf({ settings }: RunWorkload): number | undefined {
  const rate = settings?.["rate"];
  return rate === undefined ? undefined : steadyRate(parseRates(rate));
}

/** The workloads with a rate of their own for which the queue of the target grew. */
export const saturatedWorkloads = (read: Gathered, course: Course, workloads: readonly RunWorkload[] = []) =>
  new Map(
    workloads.flatMap((workload) => {
      const saturation = queueGrowth(read, course, workload);
      return saturation === undefined ? [] : [[workload.name, saturation] as const];
    }),
  );
