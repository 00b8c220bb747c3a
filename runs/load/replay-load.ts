/** Computes the result of a load from its records again, and says whether its run.json follows from them; no network. */

import { join } from "node:path";
import { holds } from "../../cli/result-folder.ts";
import { FILES } from "../../formats/file-names.ts";
import type { RunResult } from "../../formats/run.ts";
import { isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { beyondLimits, DEEPEST } from "../../lib/json-limits.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { TOOLS } from "../../reports/load/tools/tool-table.ts";
import { verifyRun } from "../../reports/load/verify-run.ts";
import { ALL_FORMATS } from "../../reports/report-formats.ts";
import type { Verification } from "../../reports/verification.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { loadResultOf, recordFoldersOf, withTools } from "../views/load-views.ts";
import { inAnyFolder } from "../views/page-above.ts";

export interface ReplayedLoad {
  readonly run: RunResult;
  /** The folders whose records it was computed from. */
  readonly sources: readonly string[];
  /** Whether the `run.json` in the folder follows from the records; absent without that file. */
  readonly verification?: Verification;
}

/** The file that the result of a load is published as. */
const RUN = "run.json";

/** Whether a folder holds the result of a load, or what one is made of. */
export const holdsLoad = (folder: string): boolean =>
  holds(folder, RUN) || holds(folder, FILES.records) || recordFoldersOf(folder)[0] !== folder;

/**
 * Computes the result of a load again, as `assay report` does.
 * @throws UsageError when the folder holds no records, or its run.json cannot be read
 */
export async function replayLoad(folder: string): Promise<ReplayedLoad> {
  const published = holds(folder, RUN) ? publishedRunIn(folder) : undefined;
  const sources = recordFoldersOf(folder);
  const read = await loadResultOf(sources, { isMerged: sources[0] !== folder });
  const tools = toolsOf(published?.["tools"]);
  const run = tools.length === 0 ? read : await withTools(read, sources, tools);
  if (published === undefined) return { run, sources };
  return { run, sources, verification: verifyRun(published, { again: run, views: await viewsIn(folder, run) }) };
}

function publishedRunIn(folder: string): UnknownObject {
  const path = join(folder, RUN);
  const failed = (reason: string): UsageError =>
    new UsageError(`Cannot read the result of the load in ${path}: ${reason}. Name the result folder of a load.`);
  let text: string;
  try {
    text = readTextFile(path);
  } catch (error) {
    throw failed(reasonOf(error));
  }
  const value = beyondLimits(text, { depth: DEEPEST }) === undefined ? parseJson(text) : undefined;
  if (!isObject(value)) throw failed("it is not a JSON object, or was cut off");
  return value;
}

/** The tools whose figures a result holds (`assay report --as`), those that this version knows. */
const toolsOf = (results: unknown): readonly string[] =>
  Array.isArray(results)
    ? results.flatMap((result: unknown) => {
        const name = isObject(result) ? result["tool"] : undefined;
        return typeof name === "string" && Object.hasOwn(TOOLS, name) ? [name] : [];
      })
    : [];

/** The other reports in a folder, and what they are made of this result. */
async function viewsIn(folder: string, run: RunResult) {
  const views = ALL_FORMATS.flatMap(({ ending, load }) =>
    load === undefined || ending === "json" || !holds(folder, `run.${ending}`) ? [] : [{ ending, load }],
  );
  return Promise.all(
    views.map(async ({ ending, load }) => {
      const file = `run.${ending}`;
      return { file, found: readTextFile(join(folder, file)), made: inAnyFolder(await load(run), ending) };
    }),
  );
}
