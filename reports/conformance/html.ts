/** A conformance result as one HTML page: headline, findings with their evidence, every clause, the exchanges that they cite. */

import type { ClauseResult, ConformanceResult } from "../../formats/conformance.ts";
import { FILES } from "../../formats/file-names.ts";
import type { Verdict } from "../../formats/verdicts.ts";
import { formatInstant, formatNumber, plural } from "../numbers.ts";
import { FILTER_SCRIPT, FILTER_STYLE, filterBar, filterData } from "../page/clause-filter.ts";
import { type Html, html, htmlFacts } from "../page/html-template.ts";
import { foldedSettings, page, tag, verdictCard } from "../page/page.ts";
import { conformanceVerdict } from "../verdict-words.ts";
import { countVerdicts, type FindingGroup, findings, profileOf, TONES } from "./clause-groups.ts";
import { clauseLink, clauseList, clauseSays } from "./clause-list.ts";
import type { ExchangesById } from "./conformance-result.ts";
import { CONFORMANCE_STYLE } from "./conformance-style.ts";
import { evidence } from "./evidence.ts";
import { exchangeAnchor } from "./exchange-text.ts";
import { statementWords, trafficWords } from "./exercised-statements.ts";
import { conformanceLine, furtherReason } from "./one-line.ts";
import { basisWords, scope } from "./tally.ts";

/** A result as a self-contained HTML document; `exchanges` are the evidence that it cites. */
export function conformanceHtml(result: ConformanceResult, exchanges: ExchangesById): string {
  const { word, tone } = conformanceVerdict(result);
  const { clauses, target } = result;
  const shown = findings(result);
  const further = furtherReason(result);
  const above = new Set(shown.map(({ clause }) => clause.id));
  const body = html`${verdictCard({
    tone,
    word,
    title: conformanceLine(result),
    lines: [
      ...(further === undefined ? [] : [html`${further}`]),
      html`<span class="dim">${[target, scope(clauses, result.traffic !== undefined)].filter((words) => words !== "").join(" · ")}</span>`,
    ],
    reasons: result.problems,
  })}
${meter(clauses)}
${contents(result, shown, exchanges)}
${filterBar(clauses.map(({ area, level, verdict }) => ({ area, level, verdicts: [verdict] })))}
${shown.length === 0 ? "" : html`<section class="rows" id="findings"><h2>Findings</h2>${shown.map((finding) => clauseCard(finding, exchanges, result))}</section>`}
<h2 id="clauses">All clauses</h2>
${clauseList(result, { exchanges, above })}
${exchangesSection(result, exchanges)}
<h2 id="run">Run</h2>
<section class="card">${htmlFacts(facts(result))}</section>
${foldedSettings(result.settings)}`;
  return page({
    title: `${result.verdict}: conformance of ${target} · Assay`,
    aside: `${result.tool} · ${formatInstant(result.startedAt)}`,
    body,
    script: `${FILTER_SCRIPT}${COPY_SCRIPT}`,
    style: `${FILTER_STYLE}${CONFORMANCE_STYLE}`,
  });
}

/** The parts of the page. */
function contents({ clauses }: ConformanceResult, shown: readonly FindingGroup[], exchanges: ExchangesById): Html {
  const har = html`<a href="${FILES.har}" download title="${FILES.har}, in the folder of this page">Exchanges as HAR</a>`;
  return html`<nav class="contents" aria-label="On this page">${shown.length === 0 ? "" : html`<a href="#findings">${plural(shown.length, "finding")}</a>`}<a href="#clauses">${plural(clauses.length, "clause")}</a>${exchanges.size === 0 ? "" : html`<a href="#exchanges">${plural(exchanges.size, "exchange")}</a>${har}`}<a href="#run">Run and settings</a><a href="${FILES.specification}">The specification, annotated</a></nav>`;
}

/** The exchanges that verdicts cite, each once, with the clauses that cite it. */
function exchangesSection({ clauses, target }: ConformanceResult, exchanges: ExchangesById): Html | string {
  if (exchanges.size === 0) return "";
  const citing = new Map<number, string[]>();
  for (const { id, evidence } of clauses)
    for (const number of evidence) citing.set(number, [...(citing.get(number) ?? []), id]);
  const all = [...exchanges].toSorted(([a], [b]) => a - b);
  const items = all.map(([number, exchange]) =>
    evidence(number, exchange, target, { anchor: exchangeAnchor(number), more: citedBy(citing.get(number) ?? []) }),
  );
  return html`<h2>Exchanges</h2>
<details class="card"><summary>${plural(exchanges.size, "exchange")} that verdicts cite</summary><div id="exchanges">
${items}</div></details>`;
}

/** Most clauses that are named of those that cite an exchange. */
const MOST_CITING = 12;

const citedBy = (ids: readonly string[]): Html =>
  html`<p class="small">Cited by ${ids.slice(0, MOST_CITING).map((id, index) => html`${index === 0 ? "" : ", "}${clauseLink(id)}`)}${ids.length > MOST_CITING ? ` and ${formatNumber(ids.length - MOST_CITING)} more` : ""}</p>`;

function meter(clauses: readonly ClauseResult[]): Html {
  const counts = countVerdicts(clauses);
  const part = (verdict: Verdict, count: number) =>
    html`<span class="${TONES[verdict]}" style="flex:${count}" title="${count} ${verdict}"></span>`;
  const words = counts.map(([verdict, count]) => html`${tag(`${count} ${verdict}`, TONES[verdict])} `);
  return html`<div class="meter">${[...counts].reverse().map(([verdict, count]) => part(verdict, count))}</div><p>${words}</p>`;
}

function facts(result: ConformanceResult): [string, string][] {
  const { traffic, startedAt, finishedAt } = result;
  const { required, compatible, recommended, observed } = result.summary;
  const fact = (name: string, value: string | undefined): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, value]];
  return [
    ["required", `${required.verified} of ${required.total} verified, ${required.failed} failed`],
    ...fact(
      "compatible",
      compatible.total === 0
        ? undefined
        : `${compatible.verified} of ${compatible.total} verified, ${compatible.failed} failed`,
    ),
    [
      "recommended",
      `${recommended.verified} of ${recommended.total} verified, ${plural(recommended.failed, "warning")}`,
    ],
    ["observed", String(observed)],
    ...fact("based on", basisWords(result)),
    ...fact("traffic", traffic && trafficWords(traffic)),
    ...fact("statements", traffic && statementWords(traffic.statements)),
    ["profile", profileOf(result)],
    ["started", formatInstant(startedAt)],
    ["finished", finishedAt === undefined ? "interrupted" : formatInstant(finishedAt)],
  ];
}

/** Exchanges that a finding shows itself; the others are links. */
const SHOWN_EXCHANGES = 3;

function clauseCard({ clause, blocks }: FindingGroup, exchanges: ExchangesById, result: ConformanceResult): Html {
  const { id, area, level, verdict, text } = clause;
  const blocked =
    blocks.length === 0
      ? ""
      : html`<dt>Blocks</dt><dd><details><summary>${plural(blocks.length, "clause")} that could not be checked</summary>${blocks.map(({ id }) => html`${clauseLink(id)} `)}</details></dd>`;
  const alone = result.traffic === undefined ? html`<dt>Check it alone</dt><dd><code>--only ${id}</code></dd>` : "";
  return html`<section class="card clause ${TONES[verdict]}" id="${id}"${filterData({ area, level, verdicts: [clause, ...blocks].map(({ verdict }) => verdict) })}>
<h3><a href="#${id}">${id}</a> ${tag(verdict, TONES[verdict])} <span class="small">${level}</span></h3>
<p>${text}</p>
${clauseSays(clause, exchanges, html`${blocked}${alone}`)}
${clause.evidence.slice(0, SHOWN_EXCHANGES).map((number) => evidence(number, exchanges.get(number), result.target))}
</section>`;
}

/** A button at each command that copies it. Without its script a page is complete: the command can be selected. */
const COPY_SCRIPT = `
for (const pre of document.querySelectorAll("pre.curl")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.setAttribute("aria-label", "Copy the curl command of " + pre.dataset.name);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      getSelection().selectAllChildren(pre);
      document.execCommand("copy");
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  pre.before(button);
}
`;
