/** From the verdicts and exchanges in a result folder to the conformance result and its views. */

import { join } from "node:path";
import { coloured } from "../../cli/console.mjs";
import { digestOf } from "../../cli/file-digest.ts";
import { headerOf } from "../../cli/file-header.ts";
import { linesOf } from "../../cli/file-lines.ts";
import { holds, recordedIn, writeWhole } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import type { ConformanceResult, EvidenceFile } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import { verdictHeader } from "../../formats/verdicts.ts";
import {
  type ExchangesById,
  readExchanges,
  summarizeConformance,
} from "../../reports/conformance/conformance-result.ts";
import { conformanceTerminal } from "../../reports/conformance/terminal.ts";
import { ALL_FORMATS, type ReportFormat, withLinked } from "../../reports/report-formats.ts";
import { inFolder } from "./page-above.ts";

/**
 * Summarizes the verdicts in a folder, as many as there are.
 * @throws UsageError when the file is not one of verdicts
 */
export async function conformanceResultOf(folder: string): Promise<ConformanceResult> {
  await headerOf(folder, FILES.verdicts, verdictHeader);
  const verdicts = linesOf(join(folder, FILES.verdicts));
  return summarizeConformance({ verdicts, tool: TOOL, evidence: await evidenceIn(folder) });
}

/**
 * The files in a folder that a result is made of, with their hashes.
 * @throws UsageError when one of them is no file
 */
export const evidenceIn = (folder: string): Promise<EvidenceFile[]> =>
  Promise.all(
    [FILES.exchanges, FILES.verdicts].filter((name) => holds(folder, name)).map((name) => digestOf(folder, name)),
  );

/** A result in a folder as lines for a terminal, with the request of each clause that failed. */
export async function conformanceLines(folder: string, result: ConformanceResult): Promise<string> {
  return conformanceTerminal(result, { colour: coloured(), exchanges: await exchangesOf(folder, result) });
}

const exchangesRead = new WeakMap<ConformanceResult, Promise<ExchangesById>>();

/** The exchanges that a result cites, read once: all views show the same. */
export function exchangesOf(folder: string, result: ConformanceResult): Promise<ExchangesById> {
  const before = exchangesRead.get(result);
  if (before !== undefined) return before;
  const read = readExchanges(linesOf(join(folder, FILES.exchanges)), result);
  exchangesRead.set(result, read);
  return read;
}

/**
 * Writes `conformance.json`, `.html`, `.md`, `.junit.xml`, what the page links to, and what is to be published.
 * @param source the folder that the result was read from
 * @throws UsageError when one cannot be written
 */
export async function writeConformanceViews(
  source: string,
  result: ConformanceResult,
  formats: readonly ReportFormat[] = ALL_FORMATS,
  destination: string = source,
): Promise<void> {
  const exchanges = await exchangesOf(source, result);
  for (const { ending, conformance, conformanceFile = `conformance.${ending}` } of withLinked(formats)) {
    const text = conformance?.(result, exchanges);
    if (text === undefined) continue;
    writeWhole(destination, conformanceFile, inFolder(text, ending, destination), recordedIn([source]));
  }
}
