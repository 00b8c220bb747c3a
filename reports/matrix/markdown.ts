/** Several targets side by side as Markdown for a CI job's summary: what each came to, then the clauses in which they differ. */

import type { ConformanceMatrix, MatrixRow } from "../../formats/conformance-matrix.ts";
import { shorten } from "../../lib/text.ts";
import { folded, md, table } from "../markdown-syntax.ts";
import { formatDay } from "../numbers.ts";
import { MARKS } from "../verdict-words.ts";
import { blockageWords, groupRows, numbersOf, reasonsOf, verdictCounts } from "./row-groups.ts";
import { targetTone } from "./target-tones.ts";

/** CI systems bound the size of a summary. */
const MOST_ROWS = 100;

/** A matrix as Markdown, ending with a line end. */
export function matrixMarkdown(matrix: ConformanceMatrix): string {
  const { different, blockages, shared, partly, same } = groupRows(matrix);
  const sections = [
    `## ${MARKS[targetTone(matrix)]} ${md(matrix.conclusion)}`,
    targetTable(matrix),
    ...matrix.notes.map((note) => `- ${md(note)}`),
    rowTable("### Different verdicts", different, matrix),
    ...blockages.map((blockage) => `${md(blockageWords(blockage, matrix))}.`),
    rowTable("### No target passes", shared, matrix),
    partly.length === 0 ? "" : folded(`Not checked on every target (${partly.length})`, rowTable("", partly, matrix)),
    same.length === 0 ? "" : `The same verdict on every target: ${verdictCounts(same)}.`,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

const targetTable = ({ targets }: ConformanceMatrix): string =>
  table(
    ["", "target", "verdict", "clauses", "profile", "date", "checked with"],
    targets.map(({ name, verdict, headline, profile, startedAt, tool, exitCode }, index) => [
      String(index + 1),
      md(name),
      `${MARKS[targetTone({ exitCode })]} ${md(verdict)}`,
      md(headline),
      md(profile),
      formatDay(startedAt),
      md(tool),
    ]),
  );

function rowTable(title: string, rows: readonly MatrixRow[], { targets }: ConformanceMatrix): string {
  if (rows.length === 0) return "";
  const written = rows.slice(0, MOST_ROWS).map((row) => [
    `${md(row.id)}<br>${md(row.text)}`,
    ...row.cells.map((cell) => cell?.verdict ?? "–"),
    reasonsOf(row)
      .map(({ targets, reason }) => `${numbersOf(targets, row)}: ${md(shorten(reason, 200))}`)
      .join("<br>"),
  ]);
  const more = rows.length > MOST_ROWS ? `\n\nand ${rows.length - MOST_ROWS} more` : "";
  const head = ["clause", ...targets.map((_, index) => String(index + 1)), "Observed"];
  return `${title === "" ? "" : `${title}\n\n`}${table(head, written)}${more}`;
}
