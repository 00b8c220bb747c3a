/** A conformance result as Markdown for a CI job's summary: verdict first, then what decides it, then the areas. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { shorten } from "../../lib/text.ts";
import { folded, md, table } from "../markdown-syntax.ts";
import { conformanceVerdict, MARKS } from "../verdict-words.ts";
import {
  areas,
  basisLabel,
  blockedWords,
  countVerdicts,
  type FindingGroup,
  findings,
  specificationOf,
} from "./clause-groups.ts";
import { neverBySection, statementWords, trafficWords } from "./exercised-statements.ts";

/** CI systems bound the size of a summary. */
const MOST_ROWS = 100;

/** A result as Markdown, ending with a line end. */
export function conformanceMarkdown(result: ConformanceResult): string {
  const { tone } = conformanceVerdict(result);
  const shown = findings(result);
  const sections = [
    `## ${MARKS[tone]} ${md(result.verdict)}: conformance of ${md(result.target)}`,
    `**${md(result.headline)}**`,
    `${md(result.conclusion)}.`,
    ...result.problems.map((problem) => `- ${md(problem)}`),
    findingTable(shown.filter(({ decisive }) => decisive)),
    trafficSection(result),
    areaTable(result),
    others(shown.filter(({ decisive }) => !decisive)),
    fold(
      "Observed where the specification leaves it open",
      result.clauses.filter(({ verdict }) => verdict === "OBSERVED"),
    ),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** Findings, each with what it blocks. */
const findingTable = (shown: readonly FindingGroup[]): string =>
  clauseTable(
    shown.map(({ clause, blocks }) =>
      blocks.length === 0 ? clause : { ...clause, reason: `${clause.reason}; blocks ${blockedWords(blocks)}` },
    ),
  );

const others = (shown: readonly FindingGroup[]): string =>
  shown.length === 0 ? "" : folded(`Other findings (${shown.length})`, findingTable(shown));

function clauseTable(clauses: readonly ClauseResult[]): string {
  if (clauses.length === 0) return "";
  const rows = clauses
    .slice(0, MOST_ROWS)
    .map((clause) => [
      clause.verdict,
      `${md(clause.id)}<br>${md(clause.text)}`,
      [...(clause.level === "compatible" ? [basisLabel(clause)] : []), ...specificationOf(clause)].map(md).join("<br>"),
      md(shorten(clause.reason, 300)),
    ]);
  const more = clauses.length > MOST_ROWS ? `\n\nand ${clauses.length - MOST_ROWS} more` : "";
  return table(["verdict", "clause", "Specification", "Observed"], rows) + more;
}

/** How many clauses of each area came to each verdict. */
export function areaTable({ clauses }: ConformanceResult): string {
  const verdicts = countVerdicts(clauses).map(([verdict]) => verdict);
  const rows = areas(clauses).map(({ area, counts }) => {
    const byVerdict = new Map(counts);
    return [md(area), ...verdicts.map((verdict) => String(byVerdict.get(verdict) ?? ""))];
  });
  return table(["area", ...verdicts], rows, true);
}

/** How much traffic there was, and what of the specification it left out. */
function trafficSection({ traffic }: ConformanceResult): string {
  if (traffic === undefined) return "";
  const never = neverBySection(traffic.statements).map(([section, count]) => [md(section), String(count)]);
  const missing =
    never.length === 0
      ? ""
      : `\n\n${folded("Statements not in the traffic", table(["section", "statements"], never, true))}`;
  return `${md(trafficWords(traffic))}; ${md(statementWords(traffic.statements))}.${missing}`;
}

const fold = (title: string, clauses: readonly ClauseResult[]): string =>
  clauses.length === 0 ? "" : folded(`${title} (${clauses.length})`, clauseTable(clauses));
