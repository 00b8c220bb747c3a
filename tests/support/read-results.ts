/** Reads result files, to compare what was recorded with the ground truth of the mock. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ConformanceResult, parseConformanceResult } from "../../formats/conformance.ts";
import { type GroundTruthRow, groundTruthRow } from "../../formats/ground-truth.ts";
import { type RequestRecord, requestRecord } from "../../formats/records.ts";
import { parseRunResult, type RunResult } from "../../formats/run.ts";
import { wholeLines } from "../../scripts/cli/file-lines.ts";

/** All requests of a run, in the order in which they ended; lines of gaps are left out. */
export const recordsOf = (folder: string): RequestRecord[] =>
  wholeLines(join(folder, "records.jsonl"))
    .slice(1)
    .filter((line) => !line.startsWith('{"gaps":'))
    .map((line) => requestRecord.parse(JSON.parse(line)));

/** The rows of a ground-truth file. */
export const ledgerOf = (file: string): GroundTruthRow[] =>
  wholeLines(file).map((line) => groundTruthRow.parse(JSON.parse(line)));

/** The result of a load. */
export const resultOf = (folder: string): RunResult =>
  parseRunResult(JSON.parse(readFileSync(join(folder, "run.json"), "utf8")));

/** The result of a conformance run. */
export const conformanceResultOf = (folder: string): ConformanceResult =>
  parseConformanceResult(JSON.parse(readFileSync(join(folder, "conformance.json"), "utf8")));
