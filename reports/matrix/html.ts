/**
 * Several targets side by side as one HTML page: a card per target, then a row per clause and a column per target, what
 * differs first. Each verdict is a button that shows its evidence, without any script.
 */

import type { ConformanceMatrix, MatrixCell, MatrixRow, MatrixTarget } from "../../formats/conformance-matrix.ts";
import { FILES } from "../../formats/file-names.ts";
import { VERDICTS } from "../../formats/verdicts.ts";
import { shorten } from "../../lib/text.ts";
import { hasBadge } from "../conformance/badge.ts";
import { basisLabel, exchangeWords, specificationOf, TONES } from "../conformance/clause-groups.ts";
import type { ExchangesById } from "../conformance/conformance-result.ts";
import { evidence } from "../conformance/evidence.ts";
import { formatDay, formatNumber, plural } from "../numbers.ts";
import { type Html, html, htmlFacts } from "../page/html-template.ts";
import { page, tag, verdictCard } from "../page/page.ts";
import { VERDICT_FILTER } from "../page/verdict-filter.ts";
import { MATRIX_STYLE } from "./matrix-style.ts";
import { groupRows } from "./row-groups.ts";
import { targetTone } from "./target-tones.ts";

/** A page, and what its parts need of it. */
interface Context {
  readonly matrix: ConformanceMatrix;
  /** By target, the exchanges that its result cites. */
  readonly exchanges: readonly ExchangesById[];
  /** Rows that somebody should read, whose reasons stand in their cells. */
  readonly shown: ReadonlySet<MatrixRow>;
  readonly numbers: ReadonlyMap<MatrixRow, number>;
}

/** A matrix as a self-contained HTML document. @param exchanges the evidence that each result cites, in the order of the columns */
export function matrixHtml(matrix: ConformanceMatrix, exchanges: readonly ExchangesById[]): string {
  const { different, blocked, shared, partly, same } = groupRows(matrix);
  const context: Context = {
    matrix,
    exchanges,
    shown: new Set([...different, ...shared]),
    numbers: new Map(matrix.clauses.map((row, index) => [row, index])),
  };
  const { exitCode, targets, clauses, conclusion } = matrix;
  const [title = "", differing = ""] = conclusion.split("; ");
  const body = html`${verdictCard({
    tone: targetTone({ exitCode }),
    word: title,
    title: `Conformance of ${plural(targets.length, "target")}`,
    lines: [html`${differing}`],
    reasons: matrix.notes,
  })}
<h2>Targets</h2>
<ol class="targets">${targets.map(targetCard)}</ol>
<div class="filter" role="group" aria-label="Show only clauses with this verdict">${verdictButtons(clauses)}</div>
${section("Different verdicts", different, context)}
${section("No target passes", shared, context)}
${folded("Could not be checked on some target, because of a clause above", blocked, context)}
${folded("Not checked on every target", partly, context)}
${folded("Same verdict on every target", same, context)}
${clauses.flatMap((row) => row.cells.flatMap((cell, target) => (cell === null ? [] : [panel(row, cell, target, context)])))}`;
  return page({
    title: `${conclusion} · Assay`,
    aside: `${matrix.tool} · ${formatDay(
      targets
        .map(({ startedAt }) => startedAt)
        .toSorted()
        .at(-1) ?? "",
    )}`,
    body,
    script: VERDICT_FILTER,
    style: MATRIX_STYLE,
  });
}

function targetCard(target: MatrixTarget): Html {
  const { name, folder, verdict, headline, profile, startedAt, tool, summary, problems } = target;
  const tone = targetTone(target);
  const { required, compatible, recommended } = summary;
  const [word = "", about] = /^([^(]*[^( ])(?: \((.*)\))?$/.exec(verdict)?.slice(1) ?? [verdict];
  const badge = hasBadge(summary) ? html` · <a href="${folder}/${FILES.badge}">badge</a>` : "";
  return html`<li class="card target ${tone}"><h3>${name}</h3>
<p>${tag(word, tone)} <span class="dim">${about ?? ""}</span></p>
<p>${headline}</p>
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

const verdictButtons = (rows: readonly MatrixRow[]): Html[] =>
  VERDICTS.flatMap((verdict) => {
    const count = rows.filter(({ cells }) => cells.some((cell) => cell?.verdict === verdict)).length;
    if (count === 0) return [];
    return [html`<button type="button" aria-pressed="false" data-verdict="${verdict}">${verdict} ${count}</button>`];
  });

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
  return html`<tr><th scope="row"><code>${id}</code><br><span class="small">${text} · ${level}</span></th>${cells.map((cell, target) => html`<td>${cell === null ? html`<span class="dim" title="the result has no such clause">–</span>` : verdictButton(row, cell, target, context)}</td>`)}</tr>
`;
}

/** Characters of a reason that stand in a cell. */
const REASON_IN_CELL = 110;

function verdictButton(row: MatrixRow, { verdict, reason }: MatrixCell, target: number, context: Context): Html {
  const name = context.matrix.targets[target]?.name ?? "";
  const isPlain = verdict === "PASS" || !context.shown.has(row);
  return html`<button type="button" class="tag ${TONES[verdict]}" popovertarget="${panelId(row, target, context)}" aria-label="${verdict}: ${row.id} on ${name}, show the evidence">${verdict}</button>${isPlain ? "" : html`<br><span class="small">${shorten(reason, REASON_IN_CELL)}</span>`}`;
}

const panelId = (row: MatrixRow, target: number, { numbers }: Context): string => `e${numbers.get(row)}-${target + 1}`;

/** What a verdict rests on, in a panel that a button shows. */
function panel(row: MatrixRow, cell: MatrixCell, target: number, context: Context): Html {
  const name = context.matrix.targets[target]?.name ?? "";
  const { verdict, reason, blockedBy } = cell;
  const id = panelId(row, target, context);
  const clause = { ...row, ...cell };
  const statements = specificationOf(clause).map((text, index) => html`${index === 0 ? "" : html`<br>`}${text}`);
  return html`<div class="panel clause ${TONES[verdict]}" popover id="${id}" role="dialog" aria-labelledby="${id}h">
<button type="button" class="close" popovertarget="${id}" popovertargetaction="hide" aria-label="Close">×</button>
<h3 id="${id}h">${row.id} ${tag(verdict, TONES[verdict])}</h3>
<p>${row.text} <span class="small">${row.level}</span></p>
<dl class="says"><dt>Target</dt><dd>${name}</dd>${statements.length === 0 ? "" : html`<dt>${basisLabel(clause)}</dt><dd>${statements}</dd>`}<dt>Observed</dt><dd>${reason}</dd>${blockedBy === undefined ? "" : html`<dt>Blocked by</dt><dd><code>${blockedBy}</code></dd>`}</dl>
${evidenceOf(row, cell, target, context)}</div>
`;
}

/** Up to so many targets, the page holds the evidence of every verdict; about 300 KB each. */
const MOST_WHOLE = 8;
/** Most exchanges of a verdict that are shown. */
const MOST_EXCHANGES = 6;

function evidenceOf(row: MatrixRow, { evidence: numbers }: MatrixCell, target: number, context: Context): Html {
  const { target: address = "", folder = "" } = context.matrix.targets[target] ?? {};
  const isWhole = context.shown.has(row) || context.matrix.targets.length <= MOST_WHOLE;
  const shown = isWhole ? numbers.slice(0, MOST_EXCHANGES) : [];
  const others = numbers.slice(shown.length);
  const exchanges = context.exchanges[target];
  return html`${shown.map((number, index) => evidence(number, exchanges?.get(number), address, index === 0))}${others.length === 0 ? "" : html`<p class="small">${shown.length === 0 ? "Evidence" : "More evidence"}: ${exchangeWords(others)} of exchanges.jsonl; <a href="${folder}/conformance.html">report of this target</a></p>`}`;
}
