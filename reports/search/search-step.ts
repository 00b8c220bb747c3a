/** From the result of a run to what a search says of its load. Pure. */

import type { RunResult } from "../../formats/run.ts";
import type { SearchStep, StepPurpose, StepVerdict } from "../../formats/search.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { headlineOf } from "../load/views/table-rows.ts";

/** What is known of a run before it is made. */
export interface PlannedStep {
  readonly rate?: number;
  readonly vus?: number;
  readonly purpose: StepPurpose;
  readonly seconds: number;
  readonly run: string;
}

/**
 * What a run says about its load. A target whose queue grew cannot bear it, whatever the objectives say so far; neither can one at
 * which a condition ended the run. What was missed in a CLIENT-LIMITED run and does not depend on its timing is missed all the same.
 */
function verdictOf({ exitCode, interrupted, aborted, validity, refused, saturation }: RunResult): StepVerdict {
  if (interrupted && aborted === undefined) return "interrupted";
  if (validity.verdict === "INVALID" || refused !== undefined) return "invalid";
  if (exitCode === 1) return "missed";
  if (validity.verdict === "CLIENT-LIMITED") return "client-limited";
  if (saturation !== undefined || aborted !== undefined) return "missed";
  return exitCode === 0 ? "met" : "undecided";
}

/** The step of a search that a run is. */
export function stepOf(run: RunResult, planned: PlannedStep): SearchStep {
  const { validity, slos, counts, metrics, saturation } = run;
  const headline = headlineOf(metrics);
  const verdict = verdictOf(run);
  const saturated = validity.verdict === "VALID" && saturation !== undefined;
  const { p50, p95, p99 } = headline?.result ?? {};
  return omitUndefined<SearchStep>({
    ...planned,
    verdict,
    reason: reasonOf(run, verdict, saturated),
    validity: validity.verdict,
    saturated,
    objectives: slos.map(({ expr, observed, ok }) => ({ expr, observed, ok })),
    arrivals: counts.offered,
    throughput: metrics["requests_per_s"]?.value,
    errorRate: metrics["error_rate"]?.value,
    latency: headline && omitUndefined({ name: headline.name, p50, p95, p99 }),
  });
}

function reasonOf({ conclusion, validity }: RunResult, verdict: StepVerdict, saturated: boolean): string {
  if (verdict === "missed" && saturated && !conclusion.includes("missed")) return "the queue of the target grew";
  const [reason] = validity.reasons;
  if ((verdict === "client-limited" || verdict === "invalid") && reason !== undefined) return reason;
  return saturated ? `${conclusion}; the queue of the target grew` : conclusion;
}
