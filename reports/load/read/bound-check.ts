/** How a request, a task or a unit of work compares with the bounds that hold for each request. */

import { metric, type TaskFigures } from "../../../load/objectives/metrics.ts";
import { holds, type Slo } from "../../../load/objectives/slo.ts";

/** A bit per bound, by its number. */
export interface BoundCheck {
  /** Bounds whose metric it has, and does not exceed. */
  readonly met: number;
  readonly broken: number;
  /** Those of the broken that it exceeds even if the load generator was as late as it can have been. */
  readonly surely: number;
  /** Bounds that are so near that the lateness of the load generator decides: met or broken as measured. */
  readonly near: number;
  /** Bounds for which its record does not contain enough to decide. */
  readonly unknown: number;
}

/** Of a request that has none of the metrics. */
export const NO_BOUNDS: BoundCheck = { met: 0, broken: 0, surely: 0, near: 0, unknown: 0 };

/** Compares a video task with the bounds. */
export const checkTask = (task: TaskFigures, bounds: readonly Slo[], late = 0): BoundCheck =>
  bounds.length === 0
    ? NO_BOUNDS
    : gather(bounds, (bound) => {
        const { unit, ofTask } = metric(bound.metric);
        const value = ofTask?.(task);
        if (value === undefined || unit !== "ms") return valueMeets(value, bound);
        return rangeMeets(value, { low: Math.max(0, value - late), high: value }, bound);
      });

type Verdicts = Readonly<Partial<Record<keyof BoundCheck, true>>>;

function gather(bounds: readonly Slo[], verdictsOf: (bound: Slo) => Verdicts): BoundCheck {
  const check = { ...NO_BOUNDS };
  for (const [index, bound] of bounds.entries()) {
    const verdicts = verdictsOf(bound);
    for (const name of ["met", "broken", "surely", "near", "unknown"] as const) {
      if (verdicts[name]) check[name] |= 1 << index;
    }
  }
  return check;
}

const SURELY_BROKEN: Verdicts = { broken: true, surely: true };

const valueMeets = (value: number | undefined, bound: Slo): Verdicts =>
  value === undefined ? {} : holds(value, bound) ? { met: true } : SURELY_BROKEN;

function rangeMeets(
  value: number,
  { low, high }: { readonly low: number; readonly high: number },
  bound: Slo,
): Verdicts {
  const isMet = holds(value, bound);
  const isNear = holds(low, bound) !== isMet || holds(high, bound) !== isMet;
  if (isMet) return { met: true, ...(isNear && { near: true }) };
  return isNear ? { broken: true, near: true } : SURELY_BROKEN;
}
