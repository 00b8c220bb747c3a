/** The last calibration of this machine: state of the user, which clearing a cache does not lose. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { writeWhole } from "../../cli/result-folder.ts";
import { type Calibration, parseCalibration } from "../../formats/calibration.ts";
import { FILES } from "../../formats/file-names.ts";

/** The folder of the user for what programs remember; by the XDG base directories where a system has no other. */
function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  const ofSystem = process.platform === "darwin" ? "Library/Application Support" : ".local/state";
  const base = XDG_STATE_HOME || (process.platform === "win32" && LOCALAPPDATA) || join(homedir(), ofSystem);
  return join(base, "assay");
}

/**
 * Keeps a calibration for later loads on this machine.
 * @throws UsageError when it cannot be written
 */
export function rememberCalibration(calibration: Calibration): void {
  const folder = stateFolder(process.env);
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    // Writing the file says why.
  }
  const saved = "The result of the calibration is saved as printed, but later loads do not refer to it.";
  writeWhole(folder, FILES.calibration, JSON.stringify(calibration), saved);
}

/** The last calibration of this machine; undefined when there is none that can be read. */
export function lastCalibration(): Calibration | undefined {
  const file = join(stateFolder(process.env), FILES.calibration);
  if (!existsSync(file)) return undefined;
  try {
    return parseCalibration(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
