/** What an earlier load sent, which `--against` names: a run that sends the same may find it in a cache of the target. */

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "../../cli/file-lines.ts";
import { holds, lackOf } from "../../cli/result-folder.ts";
import { FILES } from "../../formats/file-names.ts";
import type { EarlierInputs } from "../../reports/load/repeated-inputs.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { adviceFor, recordFoldersOf, runsInside } from "./load-views.ts";

/** What the records in these folders say. @param from how they are named */
export const earlierIn = (from: string, folders: readonly string[]): EarlierInputs => ({
  from,
  records: folders.map((folder) => join(folder, FILES.records)),
});

/**
 * The same of an earlier load: a single one, one that runners shared, or all runs of a repetition or a search.
 * @param folder its result folder
 * @param reported the folders of the load itself
 * @throws UsageError where no records in it say what was sent, or it is the load itself
 */
export async function earlierInputs(folder: string, reported: readonly string[] = []): Promise<EarlierInputs> {
  const wrong = (why: string): UsageError => new UsageError(`Cannot look for repeated inputs in ${folder}: ${why}`);
  const own = recordFoldersOf(folder);
  const runs = own.some((part) => holds(part, FILES.records)) ? own : runsInside(folder, [FILES.records]);
  if (runs.length === 0) throw wrong(`${lackOf(folder, FILES.records)}. ${adviceFor(folder)}`);
  const paths = reported.map((each) => realpathSync(each));
  if (runs.some((run) => paths.includes(realpathSync(run)))) {
    throw wrong("that is the load itself, whose own repeats its report has. Name an earlier load.");
  }
  const earlier = earlierIn(folder, runs);
  for (const path of earlier.records) if (await saysWhatWasSent(path)) return earlier;
  throw wrong(
    "its records do not say what was sent (input_digest): they hold no request with an input, or an older version of Assay made them. Name another run.",
  );
}

async function saysWhatWasSent(path: string): Promise<boolean> {
  for await (const line of linesOf(path)) if (typeof line === "string" && line.includes('"input_digest":')) return true;
  return false;
}
