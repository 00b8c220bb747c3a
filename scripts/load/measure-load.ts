/** A load from start to report. */

import type { RunResult } from "../../formats/run.ts";
import { beyondCalibration } from "../../reports/calibration/calibration-steps.ts";
import { notify, type Progress } from "../cli/console.mjs";
import { inResultFolder } from "../cli/result-folder.ts";
import { loadResultOf, writeCheckViews, writeLoadViews } from "../views/load-views.ts";
import { lastCalibration } from "./last-calibration.ts";
import type { LoadPlan } from "./plan-load.ts";
import { runLoad } from "./run-load.ts";

/**
 * Runs a load, writes its result and reports into `folder`, and returns the result.
 * @throws as `runLoad` does
 */
export async function measureLoad(plan: LoadPlan, folder: string, progress: Progress): Promise<RunResult> {
  const warnings = await inResultFolder(folder, () => runLoad(plan, folder, progress));
  await writeCheckViews(folder);
  const run = await loadResultOf([folder]);
  await writeLoadViews(folder, run, [folder]);
  const calibration = lastCalibration();
  const beyond = calibration && beyondCalibration(run.client.openMax, calibration);
  for (const warning of [...warnings, ...(beyond ? [beyond] : [])]) notify(warning);
  return run;
}
