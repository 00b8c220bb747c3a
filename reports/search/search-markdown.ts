/** A search as Markdown for a CI job's summary. */

import type { SearchResult } from "../../formats/search.ts";
import { md, table } from "../markdown-syntax.ts";
import { MARKS } from "../verdict-words.ts";
import { STEP_TONES, searchFacts, searchVerdict, stepCells, stepColumns, stepRemark } from "./step-rows.ts";

/** A search as a Markdown document. */
export function searchMarkdown(search: SearchResult): string {
  const { word, tone } = searchVerdict(search);
  const rows = search.steps.map((step) => [
    md(step.run),
    ...stepCells(step, search).map(md),
    `${MARKS[STEP_TONES[step.verdict]]} ${step.verdict}`.trim(),
    md(stepRemark(step)),
  ]);
  return `## ${MARKS[tone]} ${word}: ${md(search.scenario)} against ${md(search.target)}

${md(search.conclusion)}

${searchFacts(search)
  .map(([name, text]) => `- ${name}: ${md(text)}`)
  .join("\n")}

${table(["run", ...stepColumns(search), "verdict", ""], rows)}
`;
}
