/** Result files read back, for comparing what the client recorded with what the mock knows. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type GroundTruthRow, groundTruthRow } from "../../formats/ground-truth.ts";
import { type RequestRecord, requestRecord } from "../../formats/records.ts";
import { parseRunResult, type RunResult } from "../../formats/run.ts";
import { wholeLines } from "../../scripts/cli/file-lines.ts";

/** All requests of a run, in the order in which they ended. */
export const recordsOf = (folder: string): RequestRecord[] =>
  wholeLines(join(folder, "records.jsonl"))
    .slice(1)
    .map((line) => requestRecord.parse(JSON.parse(line)));

/** What the mock wrote about each request. */
export const ledgerOf = (file: string): GroundTruthRow[] =>
  wholeLines(file).map((line) => groundTruthRow.parse(JSON.parse(line)));

/** The result of a load that a folder holds. */
export const resultOf = (folder: string): RunResult =>
  parseRunResult(JSON.parse(readFileSync(join(folder, "run.json"), "utf8")));
