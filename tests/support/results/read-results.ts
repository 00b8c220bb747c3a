/** Reads result files, to compare what was recorded with the ground truth of the mock. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { wholeLines } from "../../../cli/file-lines.ts";
import { type ClientLine, clientLine } from "../../../formats/client.ts";
import { type ConformanceResult, conformanceResult } from "../../../formats/conformance.ts";
import { type GroundTruthRow, groundTruthRow } from "../../../formats/ground-truth.ts";
import {
  type ArrivalLine,
  arrivalLine,
  kindOfLine,
  type RequestRecord,
  requestRecord,
} from "../../../formats/records.ts";
import { type RunResult, runResult } from "../../../formats/run.ts";

const linesAfterHeader = (folder: string): unknown[] =>
  wholeLines(join(folder, "records.jsonl"))
    .slice(1)
    .map((line): unknown => JSON.parse(line));

/** All requests of a run, in the order in which they ended. */
export const recordsOf = (folder: string): RequestRecord[] =>
  linesAfterHeader(folder)
    .filter((line) => kindOfLine(line) === "request")
    .map((line) => requestRecord.parse(line));

/** The arrivals of a run whose requests do not tell how they ended, by their number. */
export const arrivalLinesOf = (folder: string): ArrivalLine[] =>
  linesAfterHeader(folder)
    .filter((line) => kindOfLine(line) === "arrival")
    .map((line) => arrivalLine.parse(line).arrival)
    .sort((a, b) => a.index - b.index);

/** What the load generator recorded of itself. */
export const clientLinesOf = (folder: string): ClientLine[] =>
  wholeLines(join(folder, "client.jsonl")).map((line) => clientLine.parse(JSON.parse(line)));

/** The rows of a ground-truth file. */
export const ledgerOf = (file: string): GroundTruthRow[] =>
  wholeLines(file).map((line) => groundTruthRow.parse(JSON.parse(line)));

/** The result of a load. */
export const resultOf = (folder: string): RunResult =>
  runResult.parse(JSON.parse(readFileSync(join(folder, "run.json"), "utf8")));

/** The result of a conformance run. */
export const conformanceResultOf = (folder: string): ConformanceResult =>
  conformanceResult.parse(JSON.parse(readFileSync(join(folder, "conformance.json"), "utf8")));
