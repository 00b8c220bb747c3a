/** Result folders: the files of a run, each written completely or not at all. */

import { accessSync, constants, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FILES } from "../../formats/file-names.ts";
import { ALL_FORMATS } from "../../reports/report-formats.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

const RESULTS = ["run", "conformance"].flatMap((name) => ALL_FORMATS.map(({ ending }) => `${name}.${ending}`));
const OURS: readonly string[] = [...Object.values(FILES), ...RESULTS];

/**
 * Creates the folder of a run and removes an earlier run's files from it.
 * @param out the user's `--out`; absent: a new folder under `out/`, named after what runs and the time
 * @param parts folders within it that belong to the run
 * @returns the absolute path
 * @throws UsageError when it cannot be created or written to, or contains files that are not Assay's
 */
export function prepareFolder(out: string | undefined, what: string, parts: readonly string[] = []): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");
  const folder = resolve(out ?? join("out", `${what}-${stamp}`));
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    const probe = join(folder, `.assay-${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new UsageError(`Cannot write results to ${folder}: ${reasonOf(error)}. Name a writable folder with --out.`);
  }
  clearEarlierRun(folder, parts);
  return folder;
}

function clearEarlierRun(folder: string, parts: readonly string[]): void {
  const foreign = readdirSync(folder).filter((name) => !OURS.includes(name) && !parts.includes(name));
  if (foreign.length > 0) {
    throw new UsageError(
      `Cannot write results to ${folder}: it contains files that do not belong to a run, such as ${foreign[0]}. Name an empty or new folder with --out.`,
    );
  }
  for (const name of OURS) rmSync(join(folder, name), { force: true });
}

/** Writes a file under a temporary name and renames it, so that nobody reads an incomplete file. */
export function writeWhole(folder: string, name: string, content: string): string {
  const path = join(folder, name);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
  return path;
}

/** Whether a result folder has this file. */
export const holds = (folder: string, name: string): boolean => existsSync(join(folder, name));
