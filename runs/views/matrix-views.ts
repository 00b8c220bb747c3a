/** From several result folders of conformance runs to one matrix, its views, and the reports of each target. */

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { holds, recordedIn, writeWhole } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import type { ConformanceResult } from "../../formats/conformance.ts";
import type { ConformanceMatrix } from "../../formats/conformance-matrix.ts";
import { FILES } from "../../formats/file-names.ts";
import { contradictions } from "../../reports/conformance/verify-published.ts";
import { buildMatrix } from "../../reports/matrix/build-matrix.ts";
import { ALL_FORMATS, type ReportFormat, withLinked } from "../../reports/report-formats.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { conformanceResultOf, writeConformanceViews } from "./conformance-views.ts";
import { PUBLISHED, publishedResultIn } from "./published-result.ts";

/** What a folder holds the result of; undefined when it holds none. */
export type ResultKind = "load" | "conformance" | undefined;

export const kindOf = (folder: string): ResultKind => {
  if (holds(folder, FILES.records)) return "load";
  return holds(folder, FILES.verdicts) || holds(folder, PUBLISHED) ? "conformance" : undefined;
};

/** Several results, and the matrix of them. */
export interface Several {
  readonly folders: readonly string[];
  readonly results: readonly ConformanceResult[];
  readonly matrix: ConformanceMatrix;
}

/**
 * The results in folders as a matrix, each from its record or, without one, as it was published.
 * @throws UsageError when one cannot be read, or a folder is named twice
 * @throws InconclusiveError when a published result contradicts itself
 */
export async function matrixOf(folders: readonly string[]): Promise<Several> {
  const paths = folders.map((folder) => realpathSync(folder));
  const twice = paths.findIndex((path, index) => paths.indexOf(path) < index);
  if (twice >= 0) {
    throw new UsageError(
      `Cannot compare ${folders[twice]} with itself: it is named twice. Name the result folder of each run once.`,
    );
  }
  const results = await Promise.all(folders.map(resultOf));
  const sources = results.map((result, index) => ({
    result,
    source: folders[index] ?? "",
    path: paths[index] ?? "",
  }));
  return { folders, results, matrix: buildMatrix(sources, TOOL) };
}

/** The result in a folder. */
export async function resultOf(folder: string): Promise<ConformanceResult> {
  if (holds(folder, FILES.verdicts)) return conformanceResultOf(folder);
  const result = publishedResultIn(folder);
  const [contradiction] = contradictions(result);
  if (contradiction === undefined) return result;
  throw new InconclusiveError(
    `Cannot report on ${join(folder, PUBLISHED)}: it contradicts itself, for ${contradiction}. It was edited or is damaged; ask whoever published it for its evidence, and run assay replay on that.`,
  );
}

/**
 * Writes the views of a matrix, and beside them a folder for each target with the reports of its own.
 * @throws UsageError when one cannot be written
 */
export async function writeMatrixViews(
  { folders, results, matrix }: Several,
  formats: readonly ReportFormat[],
  destination: string,
): Promise<void> {
  // The page links to every report of each target.
  const formatsOfEach = formats.some(({ ending }) => ending === "html") ? ALL_FORMATS : formats;
  for (const [index, result] of results.entries()) {
    const own = join(destination, matrix.targets[index]?.folder ?? "");
    mkdirSync(own, { recursive: true });
    await writeConformanceViews(folders[index] ?? "", result, formatsOfEach, own);
  }
  for (const { ending, matrix: write, conformanceFile } of withLinked(formats)) {
    if (write === undefined) continue;
    const name = conformanceFile ?? (ending === "html" ? FILES.index : `matrix.${ending}`);
    writeWhole(destination, name, write(matrix, results), recordedIn(folders));
  }
}
