/** The result folder of a gate: the runs of both sides, their comparison, and what is read of them. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { holds } from "../../cli/result-folder.ts";
import { readSavedResult } from "../../cli/saved-result.ts";
import { foldersIn, holdsToSend } from "../../cli/trust.ts";
import { compareResult } from "../../formats/compare.ts";
import { conformanceResult } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import { runResult } from "../../formats/run.ts";
import { searchResult } from "../../formats/search.ts";
import { readTextFile } from "../../lib/text-file.ts";
import type { GateResults } from "../../reports/ci/gate-result.ts";
import { runFolders } from "../compare/read-sides.ts";

/** Of the folders within: a run of one side, such as `new-1`, and the comparison. */
const SIDE = /^(base|new)-\d+$/;
const COMPARISON = "compare";
/** Why the gate is not complete; it is there from its begin to its end. */
export const NOT_RUN = "not-run.txt";

export const runName = (side: "base" | "new", number: number): string => `${side}-${number}`;
export const comparisonIn = (folder: string): string => join(folder, COMPARISON);

/** The folders of the runs of a side. */
export const runsIn = (folder: string, side: "base" | "new"): readonly string[] =>
  foldersIn(folder)
    .filter((name) => SIDE.exec(name)?.[1] === side)
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((name) => join(folder, name));

/** The runs in a folder that is a baseline: a result of a load, or of an earlier gate; none where it holds none. */
export function baselineRuns(folder: string): readonly string[] {
  if (!isReadable(folder)) return [];
  if (holds(folder, FILES.records) || holds(folder, FILES.repeat)) return [folder];
  return runsIn(folder, "new").filter((run) => holds(run, FILES.records) || holds(run, FILES.repeat));
}

function isReadable(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

/**
 * Reads the results of a gate. A folder without any is one of a gate that did not run.
 * They are written into a comment: none is read through a link.
 * @throws UsageError for a file that is not one of Assay
 */
export function gateResultsIn(folder: string): GateResults {
  const runs = isReadable(folder) ? runsIn(folder, "new") : [];
  const [first] = runs;
  const loads = runs.flatMap((run) => (holdsToSend(run, FILES.repeat) ? runFolders(run) : [run]));
  const compared = isReadable(folder) && foldersIn(folder).includes(COMPARISON) ? comparisonIn(folder) : undefined;
  const results = {
    runs: loads
      .filter((run) => holdsToSend(run, "run.json"))
      .map((run) => readSavedResult(run, "run.json", runResult, "load")),
    ...(compared !== undefined &&
      holdsToSend(compared, "compare.json") && {
        comparison: readSavedResult(compared, "compare.json", compareResult, "comparison"),
      }),
    ...(first !== undefined &&
      holdsToSend(first, "conformance.json") && {
        conformance: readSavedResult(first, "conformance.json", conformanceResult, "conformance run"),
      }),
    ...(first !== undefined &&
      holdsToSend(first, FILES.search) && { search: readSavedResult(first, FILES.search, searchResult, "search") }),
  };
  if (holdsToSend(folder, NOT_RUN)) return { ...results, notRun: readTextFile(join(folder, NOT_RUN)).trim() };
  const isEmpty = results.runs.length === 0 && !results.conformance && !results.search;
  return isEmpty ? { ...results, notRun: `there is no result in ${folder}; the log of the job says why` } : results;
}
