/** Every clause of a result as a list that unfolds: by area, then by the first part of its id, then one line per clause. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { filterData } from "../page/clause-filter.ts";
import { type Html, html } from "../page/html-template.ts";
import { tag } from "../page/page.ts";
import { basisLabel, countVerdicts, specificationOf, TONES } from "./clause-groups.ts";
import type { ExchangesById } from "./conformance-result.ts";
import { exchangeLinks, withExchangeLinks } from "./exchange-text.ts";

/** What the list needs of its page. */
interface ListContext {
  readonly exchanges: ExchangesById;
  /** Clauses that stand on the page already, each with its anchor. */
  readonly above: ReadonlySet<string>;
}

/** A link to a clause of the page. */
export const clauseLink = (id: string): Html => html`<a href="#${id}"><code>${id}</code></a>`;

/** An id that breaks before its dots, for a narrow column. */
export const breakable = (id: string): Html =>
  html`${id.split(".").map((part, index) => (index === 0 ? html`${part}` : html`<wbr>.${part}`))}`;

/** Clauses as a list. */
export const clauseList = ({ clauses }: Pick<ConformanceResult, "clauses">, context: ListContext): Html =>
  html`${[...groupedBy(clauses, ({ area }) => firstOf(area, 1))].map(([area, members]) => areaBlock(area, members, context))}`;

const firstOf = (id: string, parts: number): string => id.split(".").slice(0, parts).join(".");

function areaBlock(area: string, clauses: readonly ClauseResult[], context: ListContext): Html {
  const parts = [...groupedBy(clauses, ({ id }) => firstOf(id, 2))];
  const alone = parts.flatMap(([, members]) => (members.length === 1 ? members : []));
  const blocks = parts.filter(([, members]) => members.length > 1);
  const inner = html`${list(alone, context)}${blocks.length === 1 && alone.length === 0 ? list(clauses, context) : blocks.map(([part, members]) => fold("part rows", part, members, list(members, context)))}`;
  return fold("area rows", area, clauses, inner);
}

const fold = (className: string, name: string, clauses: readonly ClauseResult[], inner: Html): Html =>
  html`<details class="${className}"><summary><span class="name">${name}</span> ${countVerdicts(clauses).map(([verdict, count]) => html`${tag(`${count} ${verdict}`, TONES[verdict])} `)}</summary>
${inner}</details>
`;

const list = (clauses: readonly ClauseResult[], context: ListContext): Html =>
  clauses.length === 0 ? html`` : html`<ul class="clauses">${clauses.map((clause) => row(clause, context))}</ul>`;

function row(clause: ClauseResult, { exchanges, above }: ListContext): Html {
  const { id, area, level, verdict, text, reason } = clause;
  const isAbove = above.has(id);
  const more = isAbove
    ? html`<p>${withExchangeLinks(reason, exchanges)} · <a href="#${id}">the finding</a></p>`
    : html`<div class="unfolded" id="${id}">${clauseSays(clause, exchanges)}</div>`;
  return html`<li class="row"${filterData({ area, level, verdicts: [verdict] })}><details><summary>${tag(verdict, TONES[verdict])} <code>${id}</code> <span class="what">${text} <span class="small">${level}</span></span></summary>${more}</details></li>
`;
}

/** What is known of a clause: the specification, what was observed, and the exchanges that show it. */
export function clauseSays(clause: ClauseResult, exchanges: ExchangesById, more: Html = html``): Html {
  const { reason, blockedBy, evidence } = clause;
  const statements = specificationOf(clause).map((statement, index) => {
    const row = clause.specification[index]?.row;
    const linked =
      row === undefined ? statement : html`<a class="statement" href="${FILES.specification}#${row}">${statement}</a>`;
    return html`${index === 0 ? "" : html`<br>`}${linked}`;
  });
  return html`<dl class="says">${statements.length === 0 ? "" : html`<dt>${basisLabel(clause)}</dt><dd>${statements}</dd>`}<dt>Observed</dt><dd>${withExchangeLinks(reason, exchanges)}</dd>${blockedBy === undefined ? "" : html`<dt>Blocked by</dt><dd>${clauseLink(blockedBy)}</dd>`}${evidence.length === 0 ? "" : html`<dt>Evidence</dt><dd>${exchangeLinks(evidence, exchanges)}</dd>`}${more}</dl>`;
}
