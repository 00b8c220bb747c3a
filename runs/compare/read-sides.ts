/** From result folders to the runs of the two sides of a comparison. */

import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { foldersIn } from "../../cli/trust.ts";
import { FILES } from "../../formats/file-names.ts";
import type { RecordHeader } from "../../formats/records.ts";
import { BETWEEN_RUNS, differenceOf } from "../../load/shape/same-load.ts";
import type { Sides } from "../../reports/compare/gate-data.ts";
import type { SideRun } from "../../reports/compare/side-samples.ts";
import type { EarlierInputs } from "../../reports/load/repeated-inputs.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { earlierIn } from "../views/earlier-inputs.ts";
import { analyzedLoadOf, recordFoldersOf, recordHeaderOf } from "../views/load-views.ts";
import { RunDatabase } from "../views/run-database.ts";

/**
 * The folders of single runs: one that `--repeat` made stands for its runs.
 * @throws UsageError when there is no run
 */
export function runFolders(folder: string): readonly string[] {
  if (!existsSync(folder)) {
    throw new UsageError(`Cannot compare ${folder}: it does not exist. Name the result folder of a load.`);
  }
  if (!existsSync(join(folder, FILES.repeat))) return [folder];
  const runs = foldersIn(folder)
    .map((name) => join(folder, name))
    .filter((run) => existsSync(join(run, FILES.records)))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  if (runs.length > 0) return runs;
  throw new UsageError(`Cannot compare ${folder}: it contains no run with records. Name another result folder.`);
}

/**
 * Reads all runs.
 * @param opened gets the databases that they are in, which are to be closed after the comparison
 * @throws UsageError when a folder holds no run, InconclusiveError when the loads of two differ
 */
export async function readSides(folders: Sides<readonly string[]>, opened: RunDatabase[]): Promise<Sides> {
  const all = [...folders.base, ...folders.new];
  requireOnce(all);
  await requireSameLoad(folders);
  const read = async (side: readonly string[], earlier?: EarlierInputs) => {
    const runs: SideRun[] = [];
    for (const folder of side) {
      const parts = recordFoldersOf(folder);
      const isMerged = parts[0] !== folder;
      const database = await RunDatabase.empty(parts);
      opened.push(database);
      const analyzed = await analyzedLoadOf(parts, database, { isMerged, earlier });
      runs.push({ folder, ...analyzed });
    }
    return { runs };
  };
  const base = await read(folders.base);
  return { base, new: await read(folders.new, earlierIn("the base", folders.base.flatMap(recordFoldersOf))) };
}

/** Requires that all runs are different ones: the same twice looks like runs that do not differ. */
function requireOnce(folders: readonly string[]): void {
  const paths = folders.map((folder) => realpathSync(folder));
  const twice = folders.find((_, index) => paths.indexOf(paths[index] ?? "") < index);
  if (twice === undefined) return;
  throw new UsageError(
    `Cannot compare: the run in ${twice} was given twice, and does not differ from itself. Give each run once.`,
  );
}

/** The loads are one; only clients may leave in the new runs alone, which shows whether the target stops their work. */
async function requireSameLoad({ base, new: next }: Sides<readonly string[]>): Promise<void> {
  const [first] = base;
  if (first === undefined) return;
  const header = await headerOfRun(first);
  const requireSame = async (folder: string, given: RecordHeader): Promise<void> => {
    const other = await headerOfRun(folder);
    const difference = differenceOf(given.settings, other.settings, BETWEEN_RUNS) ?? differenceOfRuns(given, other);
    if (difference === undefined) return;
    const { setting, values } = difference;
    throw new InconclusiveError(
      `Cannot compare ${first} and ${folder}: their loads differ: ${setting} is ${values[0]} in the first and ${values[1]} in the other. Run both with the same settings; only the target, its models and headers, the objectives, the seed and what concerns the machine may differ, and only the new runs may have clients that leave.`,
    );
  };
  for (const folder of base) await requireSame(folder, header);
  const { leave } = next[0] === undefined ? header.settings : (await headerOfRun(next[0])).settings;
  const expected = header.settings.leave === undefined && leave !== undefined ? { leave } : {};
  for (const folder of next) await requireSame(folder, { ...header, settings: { ...header.settings, ...expected } });
}

/** The header of a run; that of a whole load, of one that runners shared. */
async function headerOfRun(folder: string): Promise<RecordHeader> {
  const [part = folder] = recordFoldersOf(folder);
  const header = await recordHeaderOf(part);
  return part === folder ? header : { ...header, segment: header.settings.segment ?? null };
}

/** What differs beside the settings: the part of a load that was run. */
function differenceOfRuns(one: RecordHeader, other: RecordHeader): ReturnType<typeof differenceOf> {
  const segments = [one, other].map(({ segment }) => segment ?? "the whole load");
  if (segments[0] !== segments[1]) return { setting: "--segment", values: [`${segments[0]}`, `${segments[1]}`] };
  return undefined;
}
