/**
 * The specification, annotated: its sections, tables and rules in the words of the ledger, and in the margin of each statement the
 * verdict on one target, or on each of several, with the clauses and exchanges that show it.
 */

import { FIELDS_HEADING } from "../../contract/statement-places.ts";
import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { groupedBy } from "../../lib/grouped.ts";
import { formatInstant, formatNumber, plural } from "../numbers.ts";
import { type Html, html, htmlTable } from "../page/html-template.ts";
import { page, tag, verdictCard } from "../page/page.ts";
import { conformanceVerdict } from "../verdict-words.ts";
import { countVerdicts, TONES } from "./clause-groups.ts";
import type { ExchangesById } from "./conformance-result.ts";
import { conformanceLine } from "./one-line.ts";
import { SPECIFICATION_STYLE } from "./specification-style.ts";
import { type Column, statementTables } from "./statement-tables.ts";
import { type AnnotatedStatement, annotatedStatements, groupsOf, STATEMENT_GROUPS } from "./statements.ts";
import { scope } from "./tally.ts";

/** A target in the margin. */
export interface Target extends Column {
  readonly clauses: readonly ClauseResult[];
}

/** A result as the annotated specification; it stands next to the page of its clauses. */
export function specificationHtml(result: ConformanceResult, exchanges: ExchangesById): string {
  const { clauses, target, traffic, tool, startedAt } = result;
  const { word, tone } = conformanceVerdict(result);
  const about = [target, scope(clauses, traffic !== undefined)].filter((words) => words !== "").join(" · ");
  return specificationPage([{ clauses, head: "verdict", href: CLAUSES_PAGE, exchanges, isNarrow: false }], {
    card: { tone, word, lines: [html`${conformanceLine(result)}`, html`<span class="dim">${about}</span>`] },
    back: html`<a href="${CLAUSES_PAGE}">All clauses and exchanges</a>`,
    aside: `${tool} · ${formatInstant(startedAt)}`,
  });
}

/** The page with the clauses of a result. */
export const CLAUSES_PAGE = "conformance.html";
const TITLE = "The specification, annotated";

/** What stands around the statements. */
interface Frame {
  readonly card: Pick<Parameters<typeof verdictCard>[0], "tone" | "word" | "lines">;
  /** A link to the same by clause. */
  readonly back: Html;
  readonly aside: string;
}

/** The page, with a column for each target. */
export function specificationPage(columns: readonly Target[], { card, back, aside }: Frame): string {
  const statements = annotatedStatements(columns.map(({ clauses }) => clauses));
  const sections = [...groupedBy(statements, ({ row }) => row.section)];
  const isField = ([, [first]]: (typeof sections)[number]): boolean => first?.row.kind === "field";
  const at = sections.findIndex(isField);
  const chapters = (of: typeof sections, level: 2 | 3): Html[] =>
    of.map(([title, members]) => chapter(title, level, statementTables(members, columns)));
  const body = html`${verdictCard({ ...card, title: TITLE, reasons: [] })}
<nav class="contents" aria-label="Other pages">${back}</nav>
<div class="${columns.length > 1 ? "several" : "one"}" style="--columns:${columns.length}">
${overview(sections, columns)}
${choice(statements)}
${chapters(sections.slice(0, at), 2)}${chapter(FIELDS_HEADING, 2, html`${chapters(sections.filter(isField), 3)}`)}${chapters(
  sections.slice(at).filter((section) => !isField(section)),
  2,
)}</div>`;
  return page({ title: `${card.word}: ${TITLE} · Assay`, aside, body, style: SPECIFICATION_STYLE });
}

const anchorOf = (section: string): string => `section-${section.toLowerCase().replace(/[^a-z]+/g, "-")}`;

const chapter = (title: string, level: 2 | 3, body: Html): Html =>
  html`<section class="chapter" id="${anchorOf(title)}">${level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${body}</section>
`;

/** The verdicts on the statements of each section, counted. */
function overview(
  sections: readonly (readonly [string, readonly AnnotatedStatement[]])[],
  columns: readonly Target[],
): Html {
  const line = (name: Html, members: readonly AnnotatedStatement[]): Html[] => [
    name,
    ...columns.map((_, column) => counts(members, column)),
  ];
  const all = sections.flatMap(([, statements]) => statements);
  const total = line(html`<b>${plural(all.length, "statement")}</b>`, all);
  const rows = sections.map(([title, members]) => line(html`<a href="#${anchorOf(title)}">${title}</a>`, members));
  return html`<div class="card">${htmlTable(["section", ...columns.map(({ head }) => head)], [total, ...rows], "sections")}</div>`;
}

function counts(statements: readonly AnnotatedStatement[], column: number): Html {
  const excluded = statements.filter(({ row }) => row.excluded !== undefined).length;
  const verdicts = statements.flatMap(({ verdicts }) => verdicts[column] ?? []);
  const tags = countVerdicts(verdicts.map((verdict) => ({ verdict }))).map(
    ([verdict, count]) => html`${tag(`${formatNumber(count)} ${verdict}`, TONES[verdict])} `,
  );
  const others: [number, string][] = [
    [statements.length - verdicts.length - excluded, "not checked"],
    [excluded, "not checkable"],
  ];
  return html`${tags}<span class="small">${others.flatMap(([count, words]) => (count > 0 ? `${formatNumber(count)} ${words}` : [])).join(", ")}</span>`;
}

/** What of the page is shown, without any script. */
function choice(statements: readonly AnnotatedStatement[]): Html {
  const groups = statements.map((statement) => ["all", ...groupsOf(statement)]);
  const options = Object.entries(STATEMENT_GROUPS).map(([id, words]) => ({
    id,
    words,
    count: groups.filter((names) => names.includes(id)).length,
  }));
  return html`<fieldset class="choice"><legend>Statements</legend>${options.map(({ id, words, count }) =>
    count === 0
      ? html``
      : html`<label><input type="radio" name="shown" id="show-${id}"${id === "all" ? html` checked` : ""}> ${words} <b>${formatNumber(count)}</b></label>`,
  )}</fieldset>
<p class="small">Each statement is required unless it says otherwise, and has the worst verdict of its clauses.</p>`;
}
