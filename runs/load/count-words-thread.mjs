/** The thread that counts tokens: what a tokenizer says may take for ever, and the command is to notice a signal. */

import { parentPort, workerData } from "node:worker_threads";
import { importEntry } from "../../toolchain/import-entry.mjs";

/** @type {typeof import("./count-words.ts")} */
const { countedOrRefused } = await importEntry("runs/load/count-words.ts");
parentPort?.postMessage(countedOrRefused(workerData));
