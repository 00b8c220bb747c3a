/** Several targets in the margin of the specification, a column each. */

import type { ConformanceResult } from "../../formats/conformance.ts";
import type { ConformanceMatrix } from "../../formats/conformance-matrix.ts";
import { FILES } from "../../formats/file-names.ts";
import { CLAUSES_PAGE, specificationPage, type Target } from "../conformance/specification-html.ts";
import { html } from "../page/html-template.ts";
import { targetTone } from "./target-tones.ts";

/** Several results as one annotated specification with a column for each; it stands next to the page of the matrix. */
export function matrixSpecificationHtml(matrix: ConformanceMatrix, results: readonly ConformanceResult[]): string {
  const { targets, conclusion, exitCode, tool } = matrix;
  const columns = targets.map((target, index): Target => {
    const href = `${target.folder}/${CLAUSES_PAGE}`;
    const head = html`<span class="number ${targetTone(target)}">${index + 1}</span> <a href="${href}">${target.name}</a>`;
    return { clauses: results[index]?.clauses ?? [], head, href, exchanges: new Map(), isNarrow: true };
  });
  const [word = ""] = conclusion.split("; ");
  return specificationPage(columns, {
    card: { tone: targetTone({ exitCode }), word, lines: matrix.notes.map((note) => html`${note}`) },
    back: html`<a href="${FILES.index}">The same by clause</a>`,
    aside: tool,
  });
}
