/** A conformance run from start to report. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import { notify, type Progress } from "../cli/console.mjs";
import { conformanceResultOf, writeConformanceViews } from "../views/conformance-views.ts";
import { type ConformancePlan, runConformance } from "./run-conformance.ts";

/** Runs the suite, writes its result and reports into `folder`, and returns the result. */
export async function checkTarget(
  plan: ConformancePlan,
  folder: string,
  progress: Progress,
): Promise<ConformanceResult> {
  const warnings = await runConformance(plan, folder, progress);
  const result = await conformanceResultOf(folder);
  await writeConformanceViews(folder, result);
  for (const warning of warnings) notify(warning);
  return result;
}
