/** A conformance result as Markdown for a CI job's summary: verdict first, then what fell short, then the areas. */

import { shorten } from "../../lib/text.ts";
import { folded, md, table } from "../markdown-syntax.ts";
import { areas, conformanceVerdict, countVerdicts, isShortfall, notable } from "./clause-groups.ts";
import type { ClauseResult, ConformanceResult } from "./result.ts";

const MARKS = { good: "✅", bad: "❌", unsure: "⚠️" } as const;
/** CI systems bound the size of a summary. */
const MOST_ROWS = 100;

/** A result as Markdown, ending with a line end. */
export function conformanceMarkdown(result: ConformanceResult): string {
  const { word, tone } = conformanceVerdict(result);
  const shown = notable(result.clauses);
  const sections = [
    `## ${MARKS[tone]} ${word}: conformance of ${md(result.target)}`,
    `**${md(result.headline)}**`,
    `${md(result.conclusion)}.`,
    ...result.problems.map((problem) => `- ${md(problem)}`),
    clauseTable(shown.filter(isShortfall)),
    areaTable(result),
    fold(
      "Warnings and others that need a look",
      shown.filter((clause) => !isShortfall(clause)),
    ),
    fold(
      "Observed where the document leaves it open",
      result.clauses.filter(({ verdict }) => verdict === "OBSERVED"),
    ),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function clauseTable(clauses: readonly ClauseResult[]): string {
  if (clauses.length === 0) return "";
  const rows = clauses
    .slice(0, MOST_ROWS)
    .map(({ verdict, id, text, reason }) => [verdict, md(id), md(text), md(shorten(reason, 300))]);
  const more = clauses.length > MOST_ROWS ? `\n\nand ${clauses.length - MOST_ROWS} more` : "";
  return table(["verdict", "clause", "the document says", "seen"], rows) + more;
}

function areaTable({ clauses }: ConformanceResult): string {
  const verdicts = countVerdicts(clauses).map(([verdict]) => verdict);
  const rows = areas(clauses).map(({ area, counts }) => {
    const byVerdict = new Map(counts);
    return [md(area), ...verdicts.map((verdict) => String(byVerdict.get(verdict) ?? ""))];
  });
  return table(["area", ...verdicts], rows, true);
}

const fold = (title: string, clauses: readonly ClauseResult[]): string =>
  clauses.length === 0 ? "" : folded(`${title} (${clauses.length})`, clauseTable(clauses));
