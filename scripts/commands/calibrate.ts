/** `assay calibrate`: measures this machine's own error, by loads of known truth. */

import { Command } from "commander";
import { calibrationJson } from "../../reports/calibration/calibration.ts";
import { calibrationTerminal } from "../../reports/calibration/terminal.ts";
import { parseSizes } from "../../settings/parse.ts";
import { calibrate, rememberCalibration, STEPS } from "../calibrate.ts";
import { coloured, progressOn } from "../console.ts";
import { EXIT } from "../exit-codes.ts";
import { k6WithExtension } from "../k6.ts";
import { prepareFolder, writeWhole } from "../results.ts";
import { type CommonFlags, withSettings } from "../settings.ts";

interface CalibrateFlags extends CommonFlags {
  readonly streams?: string;
}

export const command = withSettings(
  new Command("calibrate").description(
    "measure how well this machine measures, against the ledger of the bundled mock",
  ),
  [],
)
  .option("--streams <list>", `streams open at once, step by step (default: ${STEPS.join(",")})`)
  .action(async (flags: CalibrateFlags) => {
    const streams = flags.streams === undefined ? STEPS : parseSizes(flags.streams);
    const progress = progressOn(process.stderr, flags.quiet);
    await k6WithExtension("calibrate");
    const folder = prepareFolder(flags.out, "calibrate", streams.map(String));
    const calibration = await calibrate(folder, streams, progress);
    const file = writeWhole(folder, "calibration.json", calibrationJson(calibration));
    rememberCalibration(calibration);
    process.stdout.write(`${calibrationTerminal(calibration, { colour: coloured() })}\n  result  ${file}\n`);
    process.exitCode = calibration.trusted === undefined ? EXIT.noConclusion : EXIT.holds;
  });
