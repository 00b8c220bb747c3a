/** A comparison as Markdown, for a pull request or the summary of a CI job. */

import type { CompareResult } from "../../../formats/compare.ts";
import { folded, md, table } from "../../markdown-syntax.ts";
import { MARKS } from "../../verdict-words.ts";
import {
  COMPARISON_COLUMNS,
  comparisonFacts,
  comparisonRow,
  comparisonTitle,
  comparisonVerdict,
  INTERVALS,
  runRows,
} from "./comparison-rows.ts";

/** A comparison as Markdown, ending with a line end. */
export function compareMarkdown(result: CompareResult): string {
  const { word, tone } = comparisonVerdict(result);
  const rows = result.metrics.map(comparisonRow);
  const runs = runRows(result);
  const sections = [
    `## ${MARKS[tone]} ${word}: ${md(comparisonTitle(result))}`,
    `${md(result.conclusion)}.`,
    ...(rows.length === 0
      ? []
      : [
          table(
            ["metric", ...COMPARISON_COLUMNS],
            rows.map(({ name, cells, tone: own }) => [
              `\`${name}\``,
              ...cells.slice(0, -1).map(md),
              `${MARKS[own]} ${md(cells.at(-1) ?? "")}`.trim(),
            ]),
            true,
          ),
        ]),
    ...rows.flatMap(({ name, note }) => (note === undefined ? [] : [`\`${name}\`: ${md(note)}.`])),
    ...(result.notes.length === 0 ? [] : [result.notes.map((note) => `- ${md(note)}`).join("\n")]),
    folded(
      "What was compared",
      [
        table(
          ["", ""],
          comparisonFacts(result).map(([name, text]) => [name, md(text)]),
        ),
        ...(runs.length === 0
          ? []
          : [
              table(
                ["metric", "base, each run", "new, each run"],
                runs.map(([name, base, next]) => [`\`${name}\``, md(base), md(next)]),
              ),
            ]),
        md(INTERVALS),
      ].join("\n\n"),
    ),
  ];
  return `${sections.join("\n\n")}\n`;
}
