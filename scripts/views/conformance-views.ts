/** From the verdicts and exchanges in a result folder to the conformance result and its views. */

import { join } from "node:path";
import { type ConformanceResult, conformanceJson } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import {
  type ExchangesById,
  readExchanges,
  summarizeConformance,
} from "../../reports/conformance/conformance-result.ts";
import { conformanceHtml } from "../../reports/conformance/html.ts";
import { conformanceJunit } from "../../reports/conformance/junit.ts";
import { conformanceMarkdown } from "../../reports/conformance/markdown.ts";
import { conformanceTerminal } from "../../reports/conformance/terminal.ts";
import { coloured } from "../cli/console.mjs";
import { linesOf } from "../cli/file-lines.ts";
import { writeWhole } from "../cli/result-folder.ts";
import { TOOL } from "../cli/tool.ts";
import { ENDINGS, FORMATS, type Format } from "./view-formats.ts";

/** Summarizes the verdicts in a folder, as many as there are. */
export const conformanceResultOf = (folder: string): Promise<ConformanceResult> =>
  summarizeConformance({ verdicts: linesOf(join(folder, FILES.verdicts)), tool: TOOL });

/** A result in a folder as lines for a terminal, with what was sent for each clause that fell short. */
export async function conformanceLines(folder: string, result: ConformanceResult): Promise<string> {
  return conformanceTerminal(result, { colour: coloured(), exchanges: await exchangesOf(folder, result) });
}

const exchangesOf = (folder: string, result: ConformanceResult): Promise<ExchangesById> =>
  readExchanges(linesOf(join(folder, FILES.exchanges)), result);

const VIEWS: Readonly<Record<Format, (result: ConformanceResult, exchanges: ExchangesById) => string>> = {
  json: conformanceJson,
  html: conformanceHtml,
  md: conformanceMarkdown,
  junit: conformanceJunit,
};

/**
 * Writes `conformance.json`, `.html`, `.md` and `.junit.xml`.
 * @param source the folder that the result was read from
 */
export async function writeConformanceViews(
  source: string,
  result: ConformanceResult,
  formats: readonly Format[] = FORMATS,
  destination: string = source,
): Promise<void> {
  const exchanges = await exchangesOf(source, result);
  for (const format of formats) {
    writeWhole(destination, `conformance.${ENDINGS[format]}`, VIEWS[format](result, exchanges));
  }
}
