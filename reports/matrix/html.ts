/**
 * Several targets side by side as one HTML page: a card per target, then a row per clause and a column per target, what
 * differs first. Each verdict is a link to the clause in the report of its target, which holds the evidence.
 */

import type { ConformanceMatrix, MatrixCell, MatrixRow, MatrixTarget } from "../../formats/conformance-matrix.ts";
import { FILES } from "../../formats/file-names.ts";
import { shorten } from "../../lib/text.ts";
import { hasBadge } from "../conformance/badge.ts";
import { TONES } from "../conformance/clause-groups.ts";
import { breakable } from "../conformance/clause-list.ts";
import { conformanceLine } from "../conformance/one-line.ts";
import { formatDay, formatNumber, plural } from "../numbers.ts";
import { FILTER_SCRIPT, FILTER_STYLE, type Filterable, filterBar, filterData } from "../page/clause-filter.ts";
import { type Html, html, htmlFacts } from "../page/html-template.ts";
import { page, tag, verdictCard } from "../page/page.ts";
import { MATRIX_STYLE } from "./matrix-style.ts";
import { groupRows } from "./row-groups.ts";
import { targetTone } from "./target-tones.ts";

/** A page, and what its parts need of it. */
interface Context {
  readonly matrix: ConformanceMatrix;
  /** Rows that somebody should read, whose reasons stand in their cells. */
  readonly shown: ReadonlySet<MatrixRow>;
}

/** A matrix as an HTML document, beside which stands a folder for each target. */
export function matrixHtml(matrix: ConformanceMatrix): string {
  const { different, blocked, shared, partly, same } = groupRows(matrix);
  const context: Context = { matrix, shown: new Set([...different, ...shared]) };
  const { exitCode, targets, clauses, conclusion } = matrix;
  const [title = "", differing = ""] = conclusion.split("; ");
  const body = html`${verdictCard({
    tone: targetTone({ exitCode }),
    word: title,
    title: `Conformance of ${plural(targets.length, "target")}`,
    lines: [html`${differing}`, html`<a href="${FILES.specification}">The specification, annotated</a>`],
    reasons: matrix.notes,
  })}
<h2>Targets</h2>
<ol class="targets">${targets.map(targetCard)}</ol>
${filterBar(clauses.map(filterable))}
${section("Different verdicts", different, context)}
${section("No target passes", shared, context)}
${folded("Could not be checked on some target, because of a clause above", blocked, context)}
${folded("Not checked on every target", partly, context)}
${folded("Same verdict on every target", same, context)}`;
  return page({
    title: `${conclusion} · Assay`,
    aside: `${matrix.tool} · ${formatDay(
      targets
        .map(({ startedAt }) => startedAt)
        .toSorted()
        .at(-1) ?? "",
    )}`,
    body,
    script: FILTER_SCRIPT,
    style: `${FILTER_STYLE}${MATRIX_STYLE}`,
  });
}

const filterable = ({ area, level, cells }: MatrixRow): Filterable => ({
  area,
  level,
  verdicts: cells.flatMap((cell) => (cell === null ? [] : [cell.verdict])),
});

function targetCard(target: MatrixTarget): Html {
  const { name, folder, verdict, profile, startedAt, tool, summary, problems } = target;
  const tone = targetTone(target);
  const { required, compatible, recommended } = summary;
  const [word = "", about] = /^([^(]*[^( ])(?: \((.*)\))?$/.exec(verdict)?.slice(1) ?? [verdict];
  const badge = hasBadge(summary) ? html` · <a href="${folder}/${FILES.badge}">badge</a>` : "";
  return html`<li class="card target ${tone}"><h3>${name}</h3>
<p>${tag(word, tone)} <span class="dim">${about ?? ""}</span></p>
<p>${conformanceLine(target)}</p>
${problems.map((problem) => html`<p class="small">${problem}</p>`)}
${htmlFacts([
  ["required", `${formatNumber(required.verified)} of ${formatNumber(required.total)}`],
  [
    "compatible",
    compatible.total === 0
      ? "not checked"
      : `${formatNumber(compatible.verified)} of ${formatNumber(compatible.total)}`,
  ],
  ["warnings", formatNumber(recommended.failed)],
  ["profile", profile],
  ["date", formatDay(startedAt)],
  ["checked with", tool],
])}
<p class="small"><a href="${folder}/conformance.html">report</a> · <a href="${folder}/${FILES.summary}">summary</a>${badge}</p></li>`;
}

const section = (title: string, rows: readonly MatrixRow[], context: Context): Html | string =>
  rows.length === 0
    ? ""
    : html`<section class="rows"><h2>${title} <span class="dim">${rows.length}</span></h2><div class="card">${matrixTable(title, rows, context)}</div></section>`;

const folded = (title: string, rows: readonly MatrixRow[], context: Context): Html | string =>
  rows.length === 0
    ? ""
    : html`<details class="card rows"><summary>${title} <span class="dim">${rows.length}</span></summary>${matrixTable(title, rows, context)}</details>`;

function matrixTable(title: string, rows: readonly MatrixRow[], context: Context): Html {
  const { targets } = context.matrix;
  const heads = targets.map(
    (target, index) =>
      html`<th scope="col"><span class="number ${targetTone(target)}">${index + 1}</span> ${target.name}</th>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="matrix" style="--columns:${targets.length}"><caption>${title}</caption>
<thead><tr><th scope="col">clause</th>${heads}</tr></thead>
<tbody>${rows.map((row) => tableRow(row, context))}</tbody></table></div>`;
}

function tableRow(row: MatrixRow, context: Context): Html {
  const { id, text, level, cells } = row;
  const td = (cell: MatrixCell | null, target: number): Html =>
    html`<td>${cell === null ? html`<span class="dim" title="the result has no such clause">–</span>` : verdictLink(row, cell, target, context)}</td>`;
  return html`<tr class="row"${filterData(filterable(row))}><th scope="row"><code>${breakable(id)}</code><span class="small">${text} · ${level}</span></th>${cells.map(td)}</tr>
`;
}

/** Characters of a reason that stand in a cell. */
const REASON_IN_CELL = 110;

function verdictLink(row: MatrixRow, { verdict, reason }: MatrixCell, target: number, context: Context): Html {
  const { name = "", folder = "" } = context.matrix.targets[target] ?? {};
  const isPlain = verdict === "PASS" || !context.shown.has(row);
  return html`<a class="tag ${TONES[verdict]}" href="${folder}/conformance.html#${row.id}" aria-label="${verdict}: ${row.id} on ${name}, show the evidence">${verdict}</a>${isPlain ? "" : html`<span class="small">${shorten(reason, REASON_IN_CELL)}</span>`}`;
}
