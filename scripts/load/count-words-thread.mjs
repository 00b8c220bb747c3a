/** The thread that counts tokens: what a tokenizer says may take for ever, and the command is to notice a signal. */

import { parentPort, workerData } from "node:worker_threads";
import "../toolchain/typescript.mjs";

const { countedOrRefused } = await import("./count-words.ts");
parentPort?.postMessage(countedOrRefused(workerData));
