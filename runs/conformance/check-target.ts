/** A conformance run from start to report. */

import type { Progress } from "../../cli/console.mjs";
import type { ConformanceResult } from "../../formats/conformance.ts";
import { conformanceResultOf, writeConformanceViews } from "../views/conformance-views.ts";
import { type ConformancePlan, runConformance } from "./run-conformance.ts";

/**
 * Runs the suite, writes its result and reports into `folder`, and returns the result.
 * @throws UsageError when the folder cannot be written to
 */
export async function checkTarget(
  plan: ConformancePlan,
  folder: string,
  progress: Progress,
): Promise<ConformanceResult> {
  await runConformance(plan, folder, progress);
  const result = await conformanceResultOf(folder);
  await writeConformanceViews(folder, result);
  return result;
}
