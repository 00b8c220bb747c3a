/** A conformance result as one HTML page: headline, then the findings with their evidence, then every clause. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import type { Verdict } from "../../formats/verdicts.ts";
import { formatInstant, plural } from "../numbers.ts";
import { type Html, html, htmlFacts, htmlTable } from "../page/html-template.ts";
import { page, settingsTable, tag, verdictCard } from "../page/page.ts";
import { VERDICT_FILTER } from "../page/verdict-filter.ts";
import { conformanceVerdict } from "../verdict-words.ts";
import {
  type Area,
  areas,
  basisLabel,
  countVerdicts,
  type FindingGroup,
  findings,
  specificationOf,
  TONES,
} from "./clause-groups.ts";
import type { ExchangesById } from "./conformance-result.ts";
import { evidence } from "./evidence.ts";
import { neverExercised, statementWords, trafficWords } from "./exercised-statements.ts";

/** A result as a self-contained HTML document; `exchanges` are the evidence that it cites. */
export function conformanceHtml(result: ConformanceResult, exchanges: ExchangesById): string {
  const { tone } = conformanceVerdict(result);
  const shown = findings(result);
  const observed = result.clauses.filter(({ verdict }) => verdict === "OBSERVED");
  const body = html`${verdictCard({
    tone,
    word: result.verdict,
    title: result.headline,
    lines: [html`${result.conclusion}`, html`<span class="dim">${result.target}</span>`],
    reasons: result.problems,
  })}
${meter(result.clauses)}
<section class="card">${htmlFacts(facts(result))}</section>
${shown.length === 0 ? "" : html`<h2>Findings</h2>${shown.map((finding) => clauseCard(finding, exchanges, result.target))}`}
<h2>All clauses by area</h2>
<div class="filter">${countVerdicts(result.clauses).map(([verdict, count]) => html`<button type="button" aria-pressed="false" data-verdict="${verdict}">${verdict} ${count}</button>`)}</div>
${areas(result.clauses).map((area) => areaBlock(area))}
${
  observed.length === 0
    ? ""
    : html`<h2>Observed where the specification leaves it open</h2><section class="card">${htmlTable(
        ["clause", "observed"],
        observed.map(({ id, reason }) => [html`<code>${id}</code>`, reason]),
      )}</section>`
}
${statementsSection(result)}${settingsTable(result.settings)}`;
  return page({
    title: `${result.verdict}: conformance of ${result.target} · Assay`,
    aside: `${result.tool} · ${formatInstant(result.startedAt)}`,
    body,
    script: VERDICT_FILTER,
  });
}

function meter(clauses: readonly ClauseResult[]): Html {
  const counts = countVerdicts(clauses);
  const part = (verdict: Verdict, count: number) =>
    html`<span class="${TONES[verdict]}" style="flex:${count}" title="${count} ${verdict}"></span>`;
  const words = counts.map(([verdict, count]) => html`${tag(`${count} ${verdict}`, TONES[verdict])} `);
  return html`<div class="meter">${[...counts].reverse().map(([verdict, count]) => part(verdict, count))}</div><p>${words}</p>`;
}

function facts(result: ConformanceResult): [string, string][] {
  const { required, compatible, recommended, observed } = result.summary;
  return [
    ["target", result.target],
    ["required", `${required.verified} of ${required.total} verified, ${required.failed} failed`],
    ...(compatible.total > 0
      ? [
          ["compatible", `${compatible.verified} of ${compatible.total} verified, ${compatible.failed} failed`] as [
            string,
            string,
          ],
        ]
      : []),
    ["recommended", `${recommended.verified} of ${recommended.total} verified, ${recommended.failed} warnings`],
    ["observed", String(observed)],
    ...(result.traffic === undefined
      ? []
      : [
          ["traffic", trafficWords(result.traffic)] as [string, string],
          ["statements", statementWords(result.traffic.statements)] as [string, string],
        ]),
    ["started", formatInstant(result.startedAt)],
    ["finished", result.finishedAt === undefined ? "interrupted" : formatInstant(result.finishedAt)],
  ];
}

function statementsSection({ traffic }: ConformanceResult): Html | string {
  if (traffic === undefined || traffic.statements.never.length === 0) return "";
  const { absent, uncheckable } = neverExercised(traffic.statements);
  const part = (title: string, statements: typeof absent): Html | string => {
    const rows = statements.map(({ section, text, reason }) => [section, text, reason]);
    return rows.length === 0
      ? ""
      : html`<details class="card"><summary>${title}: ${String(rows.length)}</summary>${htmlTable(["section", "statement", "why not"], rows)}</details>`;
  };
  return html`<h2>Statements that the traffic did not exercise</h2><p>${statementWords(traffic.statements)}</p>${part("Not in the traffic", absent)}${part("Not checkable from traffic; assay conformance checks them", uncheckable)}`;
}

function clauseCard({ clause, blocks }: FindingGroup, exchanges: ExchangesById, target: string): Html {
  const { id, level, verdict, text, reason, blockedBy } = clause;
  return html`<section class="card clause ${TONES[verdict]}">
<h3>${id} ${tag(verdict, TONES[verdict])} <span class="small">${level}</span></h3>
<p>${text}</p>
<dl class="says">${specificationOf(clause).length === 0 ? "" : html`<dt>${basisLabel(clause)}</dt><dd>${statements(clause)}</dd>`}<dt>Observed</dt><dd>${reason}</dd>
${blockedBy === undefined ? "" : html`<dt>Blocked by</dt><dd><code>${blockedBy}</code></dd>`}
${blocks.length === 0 ? "" : html`<dt>Blocks</dt><dd><details><summary>${plural(blocks.length, "clause")} that could not be checked</summary>${blocks.map(({ id }) => html`<code>${id}</code> `)}</details></dd>`}</dl>
${clause.evidence.map((number) => evidence(number, exchanges.get(number), target))}
</section>`;
}

const statements = (clause: ClauseResult): Html =>
  html`${specificationOf(clause).map((statement, index) => html`${index === 0 ? "" : html`<br>`}${statement}`)}`;

function areaBlock({ area, clauses, counts }: Area): Html {
  const rows = clauses.map((clause) => [
    html`<code>${clause.id}</code><br><span class="small">${clause.text}</span>`,
    html`${tag(clause.verdict, TONES[clause.verdict])}<br><span class="small">${clause.level}</span>`,
    statements(clause),
    clause.reason,
  ]);
  const words = counts.map(([verdict, count]) => html`${tag(`${count} ${verdict}`, TONES[verdict])} `);
  return html`<details class="area rows"><summary>${area} ${words}</summary>${htmlTable(["clause", "verdict", "specification", "observed"], rows)}</details>`;
}
