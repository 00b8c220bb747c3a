/** Which gaps are counted when records do not list them: those longer than a stall, and than each bound on every gap. */

import type { GapSummary } from "k6/x/assay";
import { longestAllowedUs, readBound } from "../../load/objectives/bound.ts";
import { STALL_MS } from "../../load/objectives/metrics.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { objectivesOf } from "../../settings/load/load-table.ts";
import { parseDuration } from "../../settings/units.ts";

/** The bounds on gaps that stalls and goodput need, in microseconds; undefined when records list their gaps. */
export function gapSummaryOf(settings: Pick<LoadSettings, "records" | "slo" | "workload">): GapSummary | undefined {
  if (settings.records === "full") return undefined;
  return { overUs: [...new Set([STALL_MS * 1_000, ...objectivesOf(settings).flatMap(allowedUs)])] };
}

function allowedUs(expression: string): number[] {
  const bound = readBound(expression);
  if (bound === undefined || bound.name !== "icl") return [];
  const { comparison, amount, unit } = bound;
  return comparison === "<" || comparison === "<="
    ? [longestAllowedUs(comparison, parseDuration(`${amount}${unit}`))]
    : [];
}
