/** A load run as one HTML page: verdict first, then objectives, figures, charts, definitions and settings. */

import { FILES } from "../../../formats/file-names.ts";
import type { Failure, RunResult } from "../../../formats/run.ts";
import { formatInstant, formatNumber, plural } from "../../numbers.ts";
import { type Html, html, htmlFacts, htmlTable } from "../../page/html-template.ts";
import { page, settingsTable, tag, verdictCard } from "../../page/page.ts";
import { plotFigure } from "../../page/plot.ts";
import { PLOT_SCRIPT } from "../../page/plot-script.ts";
import { PLOT_STYLE } from "../../page/plot-style.ts";
import { runVerdict, VALIDITY_WORDS } from "../../verdict-words.ts";
import { checkedText } from "../metrics/sample-check.ts";
import { callTable, cancelTable, latencyBreakdowns, type Table } from "./breakdown-tables.ts";
import { failureTable } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { requestCards } from "./request-cards.ts";
import { requestGroups } from "./request-groups.ts";
import { runPlots } from "./run-plots.ts";
import {
  checkRows,
  clientFacts,
  distributionRows,
  facts,
  KNOWN_ERROR,
  outageSentence,
  outcomeRows,
  type Shown,
  type SloRow,
  scalarRows,
  shownOf,
  sloRow,
  TOO_FEW,
} from "./table-rows.ts";
import { TARGET_BASIS, targetRemarks, targetTable } from "./target-rows.ts";
import { TOOLS_BASIS, TOOLS_TITLE, toolReasons, toolTable } from "./tool-rows.ts";

/** A run as a self-contained HTML document. */
export function loadHtml(run: RunResult): string {
  const shown = shownOf(run);
  const groups = requestGroups(run);
  const body = html`${verdict(run)}
<h2>Objectives</h2>
<section class="card">${sloTable(run)}</section>${failures(run)}
<h2>Latencies</h2>
${groups.html}${latencyBreakdowns(run).map(({ title, summary, basis: text, table }) => section(title, summary === undefined ? text : `${summary}. ${text}`, table))}
<h2>The whole run over time</h2>
<div class="charts">${runPlots(run).map(plotFigure)}</div>
${targetMetrics(run)}<h2>Outcomes</h2>
<section class="card">${outcomes(run)}</section>${checked(run)}${section("Requests by operation", "A conversation or a video task sends several.", callTable(run))}
${tools(run)}${requests(run)}<h2>Totals</h2>
<section class="card">${scalars(run, shown)}</section>
<h2>Load generator</h2>
<section class="card">${htmlFacts(clientFacts(run))}${run.client.wakeP99Ms === undefined ? "" : html`<p class="dim">${KNOWN_ERROR}</p>`}</section>
<h2>Run</h2>
<section class="card">${htmlFacts(facts(run))}</section>
<h2>Definitions</h2>
<section class="card">${definitions(run, shown)}</section>
${settingsTable(run.settings)}`;
  const { word } = runVerdict(run);
  return page({
    title: `${word}: ${run.scenario} · Assay`,
    aside: `${run.tool} · ${formatInstant(run.startedAt)}`,
    body,
    style: PLOT_STYLE + groups.style,
    script: PLOT_SCRIPT,
  });
}

function verdict(run: RunResult): Html {
  const { word, tone } = runVerdict(run);
  const { verdict } = run.validity;
  const valid = verdict === "VALID";
  return verdictCard({
    tone,
    word,
    title: `${run.scenario}, ${run.shape}`,
    lines: [
      html`${run.conclusion}`,
      html`The run is ${tag(verdict, valid ? "good" : "unsure")} ${VALIDITY_WORDS[verdict]}`,
    ],
    reasons: [...run.validity.reasons, ...notesOf(run), ...run.outages.map(outageSentence)],
  });
}

function sloTable(run: RunResult): Html {
  const tones = { met: "good", missed: "bad", undecided: "unsure", "used for goodput": "unsure" } as const;
  const rows = run.slos
    .map(sloRow)
    .map(({ expr, observed, word, cause, bar }) => [
      html`<code>${expr}</code>`,
      html`${observed}${bar === undefined ? "" : bullet(bar, tones[word])}${cause === undefined ? "" : html`<p class="small">${cause}</p>`}`,
      tag(word, tones[word]),
    ]);
  return htmlTable(["objective", "observed", ""], rows);
}

/** A bar as long as the observed value, with a mark at the bound. */
const bullet = ({ observed, bound }: NonNullable<SloRow["bar"]>, tone: string): Html =>
  html`<span class="bullet" aria-hidden="true"><span class="bar ${tone}" style="width:${percent(observed)}"></span><span class="bound" style="left:${percent(bound)}"></span></span>`;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

function section(title: string, text: string, table: Table | undefined): Html {
  return table === undefined
    ? html``
    : html`
<h2>${title}</h2>
<section class="card"><p class="dim">${text}</p>${htmlTable(table.head, table.rows.map(short), "numbers")}</section>`;
}

function tools(run: RunResult): Html {
  const table = toolTable(run);
  if (table === undefined) return html``;
  const reasons = toolReasons(run).map((line) => html`<li>${line}</li>`);
  return html`
<h2>${TOOLS_TITLE}</h2>
<section class="card"><p class="dim">${TOOLS_BASIS}</p>${htmlTable(table.head, table.rows.map(short), "numbers")}<ul class="small">${reasons}</ul></section>`;
}

const short = (cells: readonly string[]): string[] => cells.map((cell) => (cell === TOO_FEW ? "-" : cell));

function outcomes(run: RunResult): Html {
  const { counts, metrics } = run;
  const rows = outcomeRows(counts);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const bar = (outcome: string, count: number) =>
    html`<span class="bar ${outcome === "ok" ? "good" : "bad"}" style="width:${((count / most) * 100).toFixed(1)}%"></span>`;
  const table = rows.map(({ outcome, count, share }) => [
    html`<code>${outcome}</code>`,
    formatNumber(count),
    share,
    bar(outcome, count),
  ]);
  const video = Object.entries(metrics["video_outcome"]?.parts ?? {});
  const cancels = cancelTable(run);
  return html`<p class="dim">${plural(counts.offered, "arrival")} due, ${formatNumber(counts.started)} started.</p>
${htmlTable(["outcome", "requests", "share", ""], table, "bars")}
${
  video.length === 0
    ? ""
    : html`<h3>Video tasks</h3>${htmlTable(
        ["end", "tasks"],
        video.map(([end, count]) => [html`<code>${end}</code>`, formatNumber(count)]),
      )}`
}${
  cancels === undefined
    ? ""
    : html`<h3>Cancels of video tasks</h3><p class="dim">Tasks by when they were to be cancelled; duration of the cancels that were accepted.</p>${htmlTable(cancels.head, cancels.rows.map(short), "numbers")}`
}`;
}

/** What the target told of itself. */
function targetMetrics(run: RunResult): Html {
  if (run.targetMetrics === undefined) return html``;
  const table = targetTable(run);
  return html`<h2>Target metrics</h2>
<section class="card"><p class="dim">${TARGET_BASIS}</p>${table === undefined ? "" : htmlTable(table.head, table.rows, "numbers")}${targetRemarks(run).map((remark) => html`<p>${remark}</p>`)}</section>
`;
}

function failures(run: RunResult): Html {
  const table = failureTable(run);
  if (table === undefined) return html``;
  const rows = table.rows.map((row, index) => [...row, example(run, run.failures[index])]);
  return html`
<h2>Failures</h2>
<section class="card">${htmlTable([...table.head, "first request"], rows)}${table.remarks.map((remark) => html`<p>${remark}</p>`)}</section>`;
}

/** A link to the first request of a failure that is listed. */
function example({ requests: listed }: RunResult, failure: Failure | undefined): Html {
  const first = listed?.failed.find(
    ({ op, outcome, status }) => op === failure?.op && outcome === failure.outcome && status === failure.status,
  );
  return first === undefined ? html`` : html`<a href="#req-${first.id}"><code>${first.id}</code></a>`;
}

/** Requests to look at. */
function requests(run: RunResult): Html {
  const lists = requestCards(run);
  if (lists.length === 0) return html``;
  return html`<h2>Requests</h2>
<p class="dim">Each is shown from when it was due to its end. <code>assay show DIR ID</code> shows any other, <code>assay show DIR --failed</code> lists all that failed.</p>
${lists}
`;
}

function checked({ check }: RunResult): Html {
  if (check === undefined) return html``;
  const rows = checkRows(check).map(({ id, verdict, count, reason }) => [
    html`${tag(verdict, verdict === "WARN" ? "unsure" : "bad")}`,
    html`<code>${id}</code>`,
    count,
    reason,
  ]);
  return html`
<h2>Checked against the specification</h2>
<section class="card"><p class="dim">${checkedText(check)}.</p>${rows.length === 0 ? "" : htmlTable(["", "clause", "violated in", "reason"], rows)}<p><a href="${FILES.check}/conformance.html">All clauses, with the exchanges that show them</a></p></section>`;
}

const scalars = (run: RunResult, shown: Shown): Html =>
  htmlTable(
    ["", "value"],
    scalarRows(run.metrics, shown).map(({ name, title, value }) => [
      html`${title} <span class="small"><code>${name}</code></span>`,
      value,
    ]),
    "numbers",
  );

function definitions(run: RunResult, shown: Shown): Html {
  const rows = [...distributionRows(run.metrics, shown), ...scalarRows(run.metrics, shown)];
  const sources = Object.entries(run.metrics["tpot"]?.parts ?? {}).map(
    ([source, count]) => `${source} in ${formatNumber(count)}`,
  );
  const rounded =
    run.metrics["icl"]?.error !== undefined ? " (those of gaps: from a histogram, within the error stated there)" : "";
  return html`${htmlTable(
    ["metric", "definition"],
    rows.map(({ name, definition }) => [html`<code>${name}</code>`, definition]),
  )}
<p class="dim">Percentiles are exact over all samples, by nearest rank: each is a value that was measured${rounded}. A percentile with fewer than ten samples beyond it is not given (${TOO_FEW}); of gaps, as many requests with gaps must be there, for the gaps of one request are alike. Latencies are of requests with the outcome ok in the measured window.${sources.length === 0 ? "" : ` Output tokens were counted from ${sources.join(", ")} requests.`}</p>`;
}
