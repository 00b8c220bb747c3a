/** From result folders and history files to the lines of a history. What cannot be read is said, and costs nothing else. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { linesOf } from "../../cli/file-lines.ts";
import { holds } from "../../cli/result-folder.ts";
import { readSavedResult } from "../../cli/saved-result.ts";
import { foldersIn, folderWithin } from "../../cli/trust.ts";
import { FILES } from "../../formats/file-names.ts";
import { type HistoryLine, historyLine } from "../../formats/history.ts";
import { repeatResult } from "../../formats/repeat.ts";
import { runResult } from "../../formats/run.ts";
import { parseJson } from "../../lib/json.ts";
import { beyondLimits, DEEPEST } from "../../lib/json-limits.ts";
import { shapeError } from "../../lib/shape-error.ts";
import { endSentence } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { contradictions } from "../../reports/conformance/verify-published.ts";
import { lineOfConformance, lineOfLoad } from "../../reports/history/history-line.ts";
import { readLines } from "../../reports/json-lines.ts";
import { plural } from "../../reports/numbers.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { PUBLISHED, publishedResultIn } from "../views/published-result.ts";

const LOAD = "run.json";

/** How many folders deep results are looked for: as artifacts of several jobs are unpacked. */
const DEEPEST_FOLDER = 5;

/** Results by their ids, in the order in which they were read. */
export class HistoryReader {
  readonly #lines = new Map<string, HistoryLine>();
  /** What could not be read, a sentence each. */
  readonly unreadable: string[] = [];

  get lines(): readonly HistoryLine[] {
    return [...this.#lines.values()];
  }

  /** Adds a result, unless it is known. */
  #add(line: HistoryLine): void {
    if (!this.#lines.has(line.id)) this.#lines.set(line.id, line);
  }

  /**
   * Reads what a user named: a history file, a result folder, or a folder that contains such.
   * @throws UsageError when it does not exist
   */
  async read(path: string): Promise<void> {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      throw new UsageError(
        `Cannot read the history in ${path}: it does not exist. Name a result folder, a folder of such, or a ${FILES.history}.`,
      );
    }
    if (!stats.isDirectory()) return this.readFile(path);
    this.#readFolder(path, DEEPEST_FOLDER);
  }

  /** Reads a history file. @throws UsageError when it is no file of text */
  async readFile(path: string): Promise<void> {
    const damage = await readLines(path, linesOf(path), (value) => this.#add(historyLine.parse(value)));
    this.unreadable.push(...damage.problems.map(endSentence));
    const more = damage.count - damage.problems.length;
    if (more > 0) this.unreadable.push(`${path}: ${plural(more, "further line")} cannot be read.`);
    if (damage.cutOff) this.unreadable.push(`${path}: the last line was cut off.`);
  }

  #readFolder(folder: string, depth: number): void {
    try {
      this.#readEntry(folder, depth);
    } catch (error) {
      this.unreadable.push(endSentence(reasonOf(error)));
    }
  }

  #readEntry(folder: string, depth: number): void {
    if (holds(folder, LOAD)) this.#add(lineOf(folder, LOAD, () => lineOfLoad(loadIn(folder))));
    else if (holds(folder, PUBLISHED)) this.#add(lineOf(folder, PUBLISHED, () => lineOfConformance(checkIn(folder))));
    else if (holds(folder, FILES.repeat)) this.#readRepeat(folder);
    else this.#readInside(folder, depth);
  }

  #readInside(folder: string, depth: number): void {
    if (holds(folder, FILES.search)) {
      throw new UsageError(`Left out ${folder}: it holds a search, whose runs have loads that differ`);
    }
    if (holds(folder, FILES.records) || holds(folder, FILES.verdicts)) {
      throw new UsageError(
        `Cannot read the result in ${folder}: no report of it was made. assay report ${folder} makes it`,
      );
    }
    if (depth === 0) return;
    for (const name of foldersIn(folder).toSorted()) this.#readFolder(join(folder, name), depth - 1);
  }

  #readRepeat(folder: string): void {
    const { runs } = readSavedResult(folder, FILES.repeat, repeatResult, "load with --repeat");
    for (const { dir } of runs) this.#readFolder(folderWithin(folder, dir), 0);
  }
}

function loadIn(folder: string) {
  const path = join(folder, LOAD);
  const text = readTextFile(path);
  if (beyondLimits(text, { depth: DEEPEST }) !== undefined) throw new Error("it is nested too deeply");
  const value = parseJson(text);
  if (value === undefined) throw new Error("it is not JSON, or was cut off");
  return runResult.parse(value);
}

function checkIn(folder: string) {
  const result = publishedResultIn(folder);
  const [contradiction] = contradictions(result);
  if (contradiction !== undefined) throw new Error(`it contradicts itself, for ${contradiction}`);
  return result;
}

/** The line of a result, of the shape that a history file has. @throws UsageError that names the file and what is wrong with it */
function lineOf(folder: string, name: string, read: () => HistoryLine): HistoryLine {
  try {
    return historyLine.parse(read());
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof z.ZodError ? shapeError(error) : reasonOf(error);
    throw new UsageError(`Cannot read the result in ${join(folder, name)}: ${reason}`);
  }
}
