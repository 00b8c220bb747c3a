/** The last calibration of this machine, kept in the user's cache. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../../cli/result-folder.ts";
import { type Calibration, parseCalibration } from "../../formats/calibration.ts";
import { FILES } from "../../formats/file-names.ts";
import { cacheFolder } from "../../toolchain/find-k6.mjs";

/**
 * Keeps a calibration for later loads on this machine.
 * @throws UsageError when it cannot be written
 */
export function rememberCalibration(calibration: Calibration): void {
  const folder = cacheFolder(process.env);
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
  const file = join(cacheFolder(process.env), FILES.calibration);
  if (!existsSync(file)) return undefined;
  try {
    return parseCalibration(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}
