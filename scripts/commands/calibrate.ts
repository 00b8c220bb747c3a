/** `assay calibrate`: measures this machine's own error, by loads of known truth. */

import { Command } from "commander";
import { FILES } from "../../formats/file-names.ts";
import { calibrationJson } from "../../reports/calibration/calibration.ts";
import { calibrationTerminal } from "../../reports/calibration/terminal.ts";
import { parseSizes } from "../../settings/parse.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { k6WithExtension } from "../build/k6.ts";
import {
  calibrate,
  calibrationFolders,
  type OwnTarget,
  rememberCalibration,
  STEPS,
} from "../calibrate/run-calibration.ts";
import { apiKeyVariables, type CommonFlags, resolveSettings, withSettings } from "../cli/command-settings.ts";
import { coloured, progressOn } from "../cli/console.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { prepareFolder, writeWhole } from "../cli/result-folder.ts";
import { requireReachable } from "../cli/target.ts";

type CalibrateFlags = CommonFlags & Readonly<Record<string, unknown>> & { readonly streams?: string };

/** How to connect to a target of the user's own. */
const CONNECTION = ["chatModel", "header", "caFile", "insecure"] as const;

export const command = withSettings(
  new Command("calibrate").description(
    "measure how well this machine measures, against the ledger of the bundled mock or of a target of your own",
  ),
  ["target", "ledger", ...CONNECTION, "apiKeyEnv"],
)
  .option("--streams <list>", `streams open at once, step by step (default: ${STEPS.join(",")})`)
  .action(async (flags: CalibrateFlags) => {
    const streams = flags.streams === undefined ? STEPS : parseSizes(flags.streams);
    const progress = progressOn(process.stderr, flags.quiet);
    const own = ownTarget(flags);
    if (own !== undefined) await requireReachable(own.url);
    await k6WithExtension("calibrate");
    const folder = prepareFolder(flags.out, "calibrate", calibrationFolders(streams));
    const calibration = await calibrate(folder, streams, progress, own);
    const file = writeWhole(folder, FILES.calibration, calibrationJson(calibration));
    rememberCalibration(calibration);
    process.stdout.write(`${calibrationTerminal(calibration, { colour: coloured() })}\n  result  ${file}\n`);
    process.exitCode = calibration.trusted === undefined ? EXIT.noConclusion : EXIT.holds;
  });

/**
 * The target that was given, by flags alone: a calibration is no load that somebody set up for a service.
 * @throws UsageError when the target or its ledger is missing, or a setting cannot be read
 */
function ownTarget(flags: CalibrateFlags): OwnTarget | undefined {
  const { target: url, ledger } = resolveSettings(["target", "ledger"], flags, { env: {} }).values;
  if (url === undefined && ledger === undefined) return undefined;
  if (url === undefined) {
    throw new UsageError(
      `Cannot calibrate against the ledger ${ledger} alone: name the target that writes it with --target, or leave --ledger out to use the bundled mock.`,
    );
  }
  if (ledger === undefined) {
    throw new UsageError(
      `Cannot calibrate against ${url}: without its ledger nobody knows when it sent each chunk. Name the file with --ledger (assay mock --ledger FILE writes one; so can any server, a JSON line a request with id, planned_ms and actual_ms), or leave --target out to use the bundled mock.`,
    );
  }
  const { variables } = resolveSettings(CONNECTION, flags);
  const { apiKeyEnv } = resolveSettings(["apiKeyEnv"], flags).values;
  return { url, ledger, variables: { ...variables, ...apiKeyVariables(apiKeyEnv) } };
}
