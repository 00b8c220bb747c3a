/** Between which values the true figures of a metric lie, as far as the load generator itself was late. */

import type { MetricResult } from "../../../formats/run-metrics.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { QUANTILES } from "../../../load/objectives/metrics.ts";

type Figures = Partial<Omit<MetricResult, "unit">>;
type Band = NonNullable<MetricResult["band"]>;

const FIGURES = ["mean", "min", ...QUANTILES.map(({ name }) => name), "max"] as const;

/**
 * The band of a distribution; undefined where it is exact.
 * @param lowest the same distribution with the least that each of its values can be; `highest` with the most
 */
export function bandOf(summary: Figures, lowest: Figures | undefined, highest: Figures | undefined): Band | undefined {
  if (lowest === undefined && highest === undefined) return undefined;
  const low: Record<string, number> = {};
  const high: Record<string, number> = {};
  for (const name of FIGURES) {
    const least = lowest?.atLeast?.[name] ?? lowest?.[name];
    const isGiven = summary[name] !== undefined || summary.atLeast?.[name] !== undefined;
    if (isGiven && least !== undefined) low[name] = least;
    const most = highest?.[name];
    if (summary[name] !== undefined && most !== undefined) high[name] = most;
  }
  return omitUndefined<Band>({
    low: Object.keys(low).length > 0 ? low : undefined,
    high: Object.keys(high).length > 0 ? high : undefined,
  });
}

/** The band of a value from what it is at least and at most; undefined where these are the value itself. */
export const bandOfValue = (value: number, all: readonly (number | undefined)[]): Band | undefined => {
  const known = all.flatMap((other) => (other !== undefined && Number.isFinite(other) ? [other] : []));
  const [low, high] = [Math.min(value, ...known), Math.max(value, ...known)];
  return low === high ? undefined : { low: { value: low }, high: { value: high } };
};
