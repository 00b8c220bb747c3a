/** A load from start to report. */

import { notify, type Progress } from "../../cli/console.mjs";
import { EXIT } from "../../cli/exit-codes.ts";
import { type Urgency, whileInterruptible } from "../../cli/interrupt.ts";
import { inResultFolder } from "../../cli/result-folder.ts";
import type { RunResult } from "../../formats/run.ts";
import { beyondCalibration } from "../../reports/calibration/calibration-steps.ts";
import { loadResultOf, writeCheckViews, writeLoadViews } from "../views/load-views.ts";
import { lastCalibration } from "./last-calibration.ts";
import type { LoadPlan } from "./plan-load.ts";
import { runLoad } from "./run-load.ts";

/** A load that was measured and reported on. */
export interface MeasuredLoad {
  readonly run: RunResult;
  /** The user pressed Ctrl-C when the load was over and its report was not: nothing is to follow. */
  readonly leave: boolean;
}

/**
 * Runs a load, writes its result and reports into `folder`, and returns the result. An interrupt after the end of the load costs
 * no report; a second one does.
 * @throws as `runLoad` does
 */
export async function measureLoad(plan: LoadPlan, folder: string, progress: Progress): Promise<MeasuredLoad> {
  const warnings = await inResultFolder(folder, () => runLoad(plan, folder, progress));
  let leave = false;
  const interrupted = (urgency: Urgency): void => {
    leave = true;
    if (urgency === "gently")
      progress.say(`Writing the report. Press Ctrl-C again to leave without it. ${again(folder)}`);
    else leaveWithoutReport(folder);
  };
  const run = await whileInterruptible(interrupted, async () => {
    await writeCheckViews(folder);
    const result = await loadResultOf([folder], { earlier: plan.earlier });
    await writeLoadViews(folder, result, [folder]);
    return result;
  });
  const calibration = lastCalibration();
  const beyond = calibration && beyondCalibration(run.client.openMax, calibration);
  for (const warning of [...warnings, ...(beyond ? [beyond] : [])]) notify(warning);
  return { run, leave };
}

const again = (folder: string): string =>
  `What was measured is saved: assay report ${folder} makes the report at any time.`;

/** Ends the process, and says how the report is made later. */
export function leaveWithoutReport(folder: string): never {
  notify(`Left without the report. ${again(folder)}`);
  process.exit(EXIT.inconclusive);
}
