/** The statements of a section as tables: what the specification says, and in the margin the verdict on each target. */

import type { LedgerRow } from "../../contract/ledger.ts";
import type { ClauseResult } from "../../formats/conformance.ts";
import type { Verdict } from "../../formats/verdicts.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { shorten } from "../../lib/text.ts";
import { plural } from "../numbers.ts";
import { type Html, html } from "../page/html-template.ts";
import { tag } from "../page/page.ts";
import { countVerdicts, TONES } from "./clause-groups.ts";
import { breakable } from "./clause-list.ts";
import type { ExchangesById } from "./conformance-result.ts";
import { exchangeLinks, withExchangeLinks } from "./exchange-text.ts";
import { type AnnotatedStatement, groupsOf } from "./statements.ts";

/** The margin of one target. */
export interface Column {
  readonly head: Html | string;
  /** The page with its clauses. */
  readonly href: string;
  /** The exchanges that page has. */
  readonly exchanges: ExchangesById;
  /** Whether it is one of several, so that it is to be short. */
  readonly isNarrow: boolean;
}

/** A table for each run of statements of one kind. */
export function statementTables(statements: readonly AnnotatedStatement[], columns: readonly Column[]): Html {
  const runs: AnnotatedStatement[][] = [];
  for (const statement of statements) {
    const last = runs.at(-1);
    if (last?.[0]?.row.kind === statement.row.kind) last.push(statement);
    else runs.push([statement]);
  }
  return html`<div class="card scroll" tabindex="0">${runs.map((run) => table(run, columns))}</div>`;
}

function table(statements: readonly AnnotatedStatement[], columns: readonly Column[]): Html {
  const kind = statements[0]?.row.kind ?? "text";
  const first =
    kind === "text" ? html`<th scope="col" colspan="2">` : html`<th scope="col">${kind}</th><th scope="col">`;
  const heads = columns.map(({ head }) => html`<th scope="col">${head}</th>`);
  const rows = statements.map((statement, index) => tableRow(statement, columns, statements[index - 1]?.row.item));
  return html`<table class="statements ${kind}"><colgroup><col class="item"><col class="statement">${columns.map(() => html`<col>`)}</colgroup>
<thead><tr>${first}statement</th>${heads}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** What is said of a statement that is not simply required. */
const LEVEL_WORDS: Readonly<Partial<Record<LedgerRow["level"], string>>> = {
  recommended: "recommended",
  compatible: "compatible",
  untestable: "not checkable",
};

/** @param before the item of the row before */
function tableRow(statement: AnnotatedStatement, columns: readonly Column[], before: string | undefined): Html {
  const { row, clauses, verdicts } = statement;
  const { id, item, text, level, excluded } = row;
  const without = level === "compatible" ? "checked with --profile openai" : "this result has no clause for it";
  const marks = columns.map((column, index) => {
    const verdict = verdicts[index];
    const mark =
      verdict === undefined ? html`<span class="dim">${without}</span>` : margin(clauses[index] ?? [], verdict, column);
    return html`<td class="margin"><div class="mark">${mark}</div></td>`;
  });
  const cells = excluded === undefined ? marks : html`<td colspan="${columns.length}" class="dim">${excluded}</td>`;
  const words = html`${text} <span class="small">${LEVEL_WORDS[level]}</span>`;
  const named =
    item === ""
      ? html`<th scope="row" colspan="2">${words}</th>`
      : html`<td class="item${item === before ? " again" : ""}"><code>${item}</code></td><th scope="row">${words}</th>`;
  return html`<tr id="${id}" class="row ${groupsOf(statement).join(" ")}">${named}${cells}</tr>
`;
}

/** Clauses of a statement that are told at once where there is room; the others unfold. */
const TOLD = 3;
/** Characters of a reason; the page of clauses has all of it. */
const REASON = 130;
/** Exchanges that are named. */
const EXCHANGES = 3;

/** The clauses of a statement, the worst first. @param verdict their verdict together */
function margin(clauses: readonly ClauseResult[], verdict: Verdict, column: Column): Html {
  const narrow = verdict === "PASS" && clauses.length > 1 ? 0 : 1;
  const room = column.isNarrow ? narrow : TOLD;
  const told = toldOf(clauses.filter((clause) => clause.verdict === verdict)).slice(0, room);
  const others = clauses.filter((clause) => !told.includes(clause));
  const lines = told.map((clause) => html`<p>${link(clause, column)} ${said(clause, column)}</p>`);
  return html`${tag(verdict, TONES[verdict])}<div class="told">${lines}${folded(others, verdict, column, told.length > 0)}</div>`;
}

/** One that passed, of the others one for each reason. */
function toldOf(clauses: readonly ClauseResult[]): readonly ClauseResult[] {
  const byReason = groupedBy(clauses, ({ verdict, reason, blockedBy }) =>
    verdict === "PASS" ? "" : (blockedBy ?? reason),
  );
  return [...byReason.values()].flatMap(([first]) => first ?? []);
}

function said(clause: ClauseResult, column: Column): Html {
  const { verdict, blockedBy, reason } = clause;
  if (blockedBy !== undefined) return html`blocked by ${link({ id: blockedBy }, column)}`;
  if (verdict === "PASS") return exchangesOf(clause, column);
  const words = reason.length > REASON ? shorten(reason.replace(/ \(exchanges? [^)]*\)/, ""), REASON) : reason;
  const isNamed = /\bexchanges? \d/.test(words);
  return html`${withExchangeLinks(words, column.exchanges, column.href)} ${isNamed ? "" : exchangesOf(clause, column)}`;
}

function folded(clauses: readonly ClauseResult[], verdict: Verdict, column: Column, areOthers: boolean): Html | string {
  if (clauses.length === 0) return "";
  const counts = countVerdicts(clauses).map(([other, count]) => `${count} ${other}`);
  const isMixed = clauses.some((clause) => clause.verdict !== verdict);
  const items = clauses.map(
    (clause) =>
      html`<li>${clause.verdict === verdict ? "" : html`${tag(clause.verdict, TONES[clause.verdict])} `}${link(clause, column)} ${exchangesOf(clause, column)}</li>`,
  );
  return html`<details><summary>${areOthers ? "and " : ""}${plural(clauses.length, areOthers ? "other" : "clause")}${isMixed ? `: ${counts.join(", ")}` : ""}</summary><ul>${items}</ul></details>`;
}

const link = ({ id }: Pick<ClauseResult, "id">, { href }: Column): Html =>
  html`<a href="${href}#${id}"><code>${breakable(id)}</code></a>`;

function exchangesOf({ evidence }: ClauseResult, { exchanges, href }: Column): Html {
  if (evidence.length === 0) return html``;
  const more = evidence.length - EXCHANGES;
  return html`<span class="small">${exchangeLinks(evidence.slice(0, EXCHANGES), exchanges, href)}${more > 0 ? ` and ${more} more` : ""}</span>`;
}
