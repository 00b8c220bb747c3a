/** `assay calibrate`: measures the timing error of this machine, by loads whose ground truth is known. */

import { Command } from "commander";
import { apiKeyVariables } from "../../cli/api-keys.ts";
import { type CommonFlags, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { coloured, printResult, progressOn } from "../../cli/console.mjs";
import { EXIT, InconclusiveError } from "../../cli/exit-codes.ts";
import { createResultFolder, writeWhole } from "../../cli/result-folder.ts";
import { keepSecret } from "../../cli/secrets.ts";
import { requireReachable } from "../../cli/target.ts";
import { secretsOf } from "../../conformance/engine/target-connection.ts";
import { type Calibration, calibrationJson } from "../../formats/calibration.ts";
import { FILES } from "../../formats/file-names.ts";
import { lateTarget, lateTargetStep } from "../../reports/calibration/calibration-steps.ts";
import { calibrationTerminal } from "../../reports/calibration/terminal.ts";
import { calibrate, type OwnTarget, STEPS } from "../../runs/calibrate/run-calibration.ts";
import { connectionsOf } from "../../runs/load/connection.ts";
import { rememberCalibration } from "../../runs/load/last-calibration.ts";
import { inFolder } from "../../runs/views/page-above.ts";
import { CONNECTION_SETTINGS } from "../../settings/connection-table.ts";
import { writeVariables } from "../../settings/setting.ts";
import { parseCounts } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { k6ForLoads } from "../../toolchain/k6.ts";

type CalibrateFlags = CommonFlags & Readonly<Record<string, unknown>> & { readonly streams?: string };

export const command = withSettings(
  new Command("calibrate").description(
    "measure the timing error of this machine, against the bundled mock or a target of your own with ground truth",
  ),
  "calibrate",
)
  .option("--streams <list>", `concurrent streams, step by step (default: ${STEPS.join(",")})`)
  .action(async (flags: CalibrateFlags) => {
    const streams = flags.streams === undefined ? STEPS : parseCounts(flags.streams);
    const progress = progressOn(flags.quiet);
    const own = ownTarget(flags);
    if (own !== undefined) await requireReachable(own.url);
    await k6ForLoads();
    const folder = createResultFolder(flags.out, "calibrate");
    const calibration = await calibrate(folder, streams, progress, own);
    const file = writeWhole(folder, FILES.calibration, calibrationJson(calibration));
    const page = await writePage(folder, calibration);
    const text = `${calibrationTerminal(calibration, { colour: coloured() })}\n  report  ${page}\n  result  ${file}\n`;
    printResult(text, () => calibrationJson(calibration));
    requireTargetInTime(calibration);
    rememberCalibration(calibration);
    process.exitCode = calibration.trusted === undefined ? EXIT.inconclusive : EXIT.passed;
  });

/** Writes the page of a calibration. @returns its path */
async function writePage(folder: string, calibration: Calibration): Promise<string> {
  const { calibrationHtml } = await import("../../reports/calibration/calibration-html.ts");
  return writeWhole(folder, "calibration.html", inFolder(calibrationHtml(calibration), "html", folder));
}

/** @throws InconclusiveError when the target was late, so that the error of this machine is not known */
function requireTargetInTime(calibration: Calibration): void {
  const late = lateTargetStep(calibration);
  if (late === undefined) return;
  throw new InconclusiveError(
    `The calibration is not saved: ${lateTarget(late)}; the previous calibration stays valid. Stop other processes on the machine of the target and run it again.`,
  );
}

/**
 * The user's own target, if its ground truth is given; a target alone, in the environment or in assay.yaml, is one for loads.
 * @throws UsageError when the target or its ground truth is missing, or a setting cannot be read
 */
function ownTarget(flags: CalibrateFlags): OwnTarget | undefined {
  const { apiKeyEnv, groundTruth, target: url, ...connection } = resolveSettings("calibrate", flags).values;
  if (groundTruth === undefined) {
    if (flags["target"] === undefined) return undefined;
    throw new UsageError(
      `Cannot calibrate against ${url}: when it sent each chunk is not known. Name the file in which it records that with --ground-truth (assay mock --ledger FILE writes one; so can any server, a JSON line per request with id, planned_ms and actual_ms), or leave --target out to use the bundled mock.`,
    );
  }
  if (url === undefined) {
    throw new UsageError(
      `Cannot calibrate against the ground truth in ${groundTruth}: name the target that writes it with --target, or leave --ground-truth out to use the bundled mock.`,
    );
  }
  const variables = { ...writeVariables(CONNECTION_SETTINGS, connection), ...apiKeyVariables(apiKeyEnv) };
  keepSecret(secretsOf(connectionsOf({ ...connection, target: url }, variables)));
  return { url, groundTruth, variables };
}
