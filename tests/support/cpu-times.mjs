/** Where the last run of each suite that passed leaves the CPU time that it took, for the table of weights. Plain Node. */

import { fileURLToPath } from "node:url";

export const CPU_TIMES_FOLDER = fileURLToPath(new URL("../../node_modules/.cache/assay-tests/", import.meta.url));

export const cpuTimesFile = (/** @type {string} */ suite) => `${CPU_TIMES_FOLDER}${suite.replace(/\W+/g, "-")}`;
