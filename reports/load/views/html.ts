/** A load run as one HTML page: verdict first, then objectives, figures, charts, definitions and settings. */

import { FILES } from "../../../formats/file-names.ts";
import type { RunResult, SloResult } from "../../../formats/run.ts";
import { sentence } from "../../../lib/text.ts";
import type { MetricName } from "../../../load/objectives/metrics.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { formatInstant, formatNumber, plural } from "../../numbers.ts";
import { type Html, html, htmlFacts, htmlTable } from "../../page/html-template.ts";
import { fold, page, settingsTable, tag, verdictCard } from "../../page/page.ts";
import { plotFigure } from "../../page/plot.ts";
import { PLOT_SCRIPT } from "../../page/plot-script.ts";
import { PLOT_STYLE } from "../../page/plot-style.ts";
import { POINTS_SCRIPT } from "../../page/points-script.ts";
import { inOrder, type Section } from "../../section-list.ts";
import { runVerdict, VALIDITY_WORDS } from "../../verdict-words.ts";
import { failureName } from "../metrics/explain-failures.ts";
import { checkedText } from "../metrics/sample-check.ts";
import { type Breakdown, callTable, cancelTable, latencyBreakdowns } from "./breakdown-tables.ts";
import { costFacts, costRemarks } from "./cost-rows.ts";
import { FAILED_REQUEST, failureTable } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { pointsPlot } from "./points-plot.ts";
import { requestCards } from "./request-cards.ts";
import { requestGroups } from "./request-groups.ts";
import { runPlots } from "./run-plots.ts";
import { runStrip } from "./run-strip.ts";
import { sectionLines } from "./section-lines.ts";
import { SECTIONS } from "./sections.ts";
import { isFinding, type StripMark, stripMarks } from "./strip-marks.ts";
import {
  checkRows,
  clientFacts,
  distributionRows,
  facts,
  KNOWN_ERROR,
  outcomeRows,
  type Shown,
  type SloRow,
  scalarRows,
  shownOf,
  sloRow,
  sloRows,
  TOO_FEW,
} from "./table-rows.ts";
import { TARGET_BASIS, targetRemarks, targetTable } from "./target-rows.ts";
import { TOOLS_BASIS, toolReasons, toolTable } from "./tool-rows.ts";

/** The parts of the page. */
function sectionsOf(run: RunResult, groups: Html): Section<Html>[] {
  const shown = shownOf(run);
  return inOrder(SECTIONS, {
    objectives: card(sloTable(run)),
    failures: failures(run),
    latencies: html`${groups}${latencyBreakdowns(run).map((each) => breakdown(run, each))}`,
    totals: card(scalars(run, shown)),
    cost: cost(run),
    "over-time": html`<div class="charts">${runPlots(run).map(plotFigure)}</div>`,
    requests: requests(run),
    outcomes: card(outcomes(run)),
    checked: checked(run),
    operations: calls(run),
    "target-metrics": targetMetrics(run),
    "other-tools": tools(run),
    "load-generator": card(loadGenerator(run)),
    run: card(html`${htmlFacts(facts(run))}${settingsTable(run.settings)}`),
    definitions: definitions(run, shown),
  });
}

const card = (content: Html): Html => html`<section class="card">${content}</section>`;

/** A run as a self-contained HTML document. */
export function loadHtml(run: RunResult): string {
  const groups = requestGroups(run);
  const sections = sectionsOf(run, groups.html);
  const marks = stripMarks(run);
  const first = verdict(run, marks);
  const lines: Readonly<Record<string, string>> = sectionLines(run);
  const linked = linkedOf(run, marks);
  const contents = sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`);
  const body = html`${first}
<nav class="contents" aria-label="Contents">${contents}</nav>
${sections.map((section) => partOf(section, lines, linked))}`;
  const { word } = runVerdict(run);
  return page({
    title: `${word}: ${run.scenario} · Assay`,
    aside: `${run.tool} · ${formatInstant(run.startedAt)}`,
    body,
    style: PLOT_STYLE + groups.style,
    script: run.points === undefined ? PLOT_SCRIPT : PLOT_SCRIPT + POINTS_SCRIPT,
  });
}

/** A part of the page; what is folded is open where the first block of a run that has not passed links to it. */
function partOf(
  { id, title, body }: Section<Html>,
  lines: Readonly<Record<string, string>>,
  linked: readonly string[],
): Html {
  const line = lines[id];
  if (line === undefined) return html`<h2 id="${id}">${title}</h2>\n${body}\n`;
  const isOpen = linked.some((each) => each === id || body.text.includes(`id="${each}"`));
  return fold({ id, title, line, body, isOpen });
}

/** What a run that has not passed is about: its failures, what is marked in its strip, and where to look next. */
const linkedOf = (run: RunResult, marks: readonly StripMark[]): string[] =>
  run.exitCode === 0
    ? []
    : ["failures", ...marks.filter(isFinding).map(({ section }) => section), ...nextOf(run).map(({ id }) => id)];

function verdict(run: RunResult, marks: readonly StripMark[]): Html {
  const { word, tone } = runVerdict(run);
  const { verdict } = run.validity;
  const valid = verdict === "VALID";
  const rest = restOfConclusion(run);
  return verdictCard({
    tone,
    word,
    title: `${run.scenario}, ${run.shape}`,
    picture: runStrip(run, marks),
    lines: [
      ...(rest === undefined ? [html`${sentence(run.conclusion)}`] : []),
      ...missedOf(run),
      ...firstReason(run),
      ...(rest === undefined || rest === "" ? [] : [html`${sentence(rest)}`]),
      ...lookNext(nextOf(run)),
      html`The run is ${tag(verdict, valid ? "good" : "unsure")} ${VALIDITY_WORDS[verdict]}`,
    ],
    reasons: [...run.validity.reasons, ...notesOf(run)],
    areRemarks: valid,
  });
}

/** What the conclusion says after the objectives that lines of their own explain; undefined where not all of them have one. */
function restOfConclusion({ conclusion, slos }: RunResult): string | undefined {
  const missed = slos.filter(({ ok }) => ok === false);
  const named = `missed: ${missed.map(({ expr }) => parseSlo(expr).expr).join(", ")}`;
  const isExplained =
    missed.length > 0 && missed.length <= EXPLAINED && missed.every(({ cause }) => cause !== undefined);
  return isExplained && `${conclusion}; `.startsWith(`${named}; `) ? conclusion.slice(named.length + 2) : undefined;
}

/** What the most frequent failure says, where failures made an objective miss. */
function firstReason({ slos, failures: [most] }: RunResult): Html[] {
  const isMissed = slos.some(({ ok, expr }) => ok === false && !(parseSlo(expr).metric in LISTED_BY));
  return isMissed && most?.reason !== undefined ? [html`<span class="dim">First reason: ${most.reason}</span>`] : [];
}

/** Missed objectives that the first block explains; the table of objectives has all. */
const EXPLAINED = 3;

/** Why objectives were missed. */
const missedOf = (run: RunResult): Html[] =>
  run.slos
    .filter(({ ok, cause }) => ok === false && cause !== undefined)
    .slice(0, EXPLAINED)
    .map((slo) => {
      const { expr, observed, cause } = sloRow(slo);
      return html`<code>${expr}</code>: ${observed}; ${cause}`;
    });

/** A part of the page to look at. */
interface Next {
  readonly id: string;
  readonly title: string;
}

/** Where to look next. */
function nextOf(run: RunResult): Next[] {
  const { requests: listed, validity, slos } = run;
  return [
    ...((listed?.failed.length ?? 0) > 0 ? [{ id: "requests-failed", title: "the requests that failed" }] : []),
    ...(validity.verdict === "CLIENT-LIMITED" ? [{ id: "load-generator", title: "the load generator" }] : []),
    ...slos.flatMap((slo) => (slo.ok === false ? (slowest(run, slo) ?? []) : [])).slice(0, 1),
  ];
}

const linkTo = ({ id, title }: Next): Html => html`<a href="#${id}">${title}</a>`;

function lookNext(all: readonly Next[]): Html[] {
  const separated = all.map((next, index) => html`${index === 0 ? "" : ", "}${linkTo(next)}`);
  return all.length === 0 ? [] : [html`Look next at ${separated}.`];
}

/** The list of slow requests that an objective is about. */
const LISTED_BY: Readonly<Partial<Record<MetricName, string>>> = {
  ttft: "ttft",
  ttft_scheduled: "ttft",
  icl: "gap",
  stall: "gap",
  e2e: "e2e",
  e2e_scheduled: "e2e",
};

/** The slowest requests by the metric of an objective, where they are listed. */
function slowest({ requests: listed }: RunResult, { expr }: Pick<SloResult, "expr">): Next | undefined {
  const by = LISTED_BY[parseSlo(expr).metric];
  return by !== undefined && (listed?.slowest[by]?.length ?? 0) > 0
    ? { id: `requests-${by}`, title: "the slowest requests" }
    : undefined;
}

function sloTable(run: RunResult): Html {
  const tones = { met: "good", missed: "bad", undecided: "unsure", "used for goodput": "unsure" } as const;
  const rows = sloRows(run).map(({ expr, observed, word, cause, bar }) => {
    const link = word === "missed" ? slowest(run, { expr }) : undefined;
    const why =
      cause === undefined
        ? ""
        : html`<p class="small">${cause}${link === undefined ? "" : html`; ${linkTo(link)}`}</p>`;
    return [
      html`<code>${expr}</code>`,
      html`${observed}${bar === undefined ? "" : bullet(bar, tones[word])}${why}`,
      tag(word, tones[word]),
    ];
  });
  return htmlTable(["objective", "observed", ""], rows, "objectives");
}

/** A bar as long as the observed value, with a mark at the bound. */
const bullet = ({ observed, bound }: NonNullable<SloRow["bar"]>, tone: string): Html =>
  html`<span class="bullet" aria-hidden="true"><span class="bar ${tone}" style="width:${percent(observed)}"></span><span class="bound" style="left:${percent(bound)}"></span></span>`;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

const breakdown = (run: RunResult, { title, id, summary, basis, table }: Breakdown): Html =>
  fold({
    ...{ id, title, level: 3, isOpen: run.exitCode !== 0 },
    line: plural(table.rows.length, table.head[0] ?? ""),
    body: html`<p class="dim">${summary === undefined ? basis : `${summary}. ${basis}`}</p>${htmlTable(table.head, table.rows.map(short), "numbers")}`,
  });

function calls(run: RunResult): Html | undefined {
  const table = callTable(run);
  if (table === undefined) return undefined;
  const text = html`<p class="dim">Sent in the measured part; a conversation or a video task sends several. Failures are listed of the whole run.</p>`;
  return card(html`${text}${htmlTable(table.head, table.rows.map(short), "numbers")}`);
}

function tools(run: RunResult): Html | undefined {
  const table = toolTable(run);
  if (table === undefined) return undefined;
  const reasons = toolReasons(run).map((line) => html`<li>${line}</li>`);
  return card(
    html`<p class="dim">${TOOLS_BASIS}</p>${htmlTable(table.head, table.rows.map(short), "numbers")}<ul class="small">${reasons}</ul>`,
  );
}

const loadGenerator = (run: RunResult): Html =>
  html`${htmlFacts(clientFacts(run))}${run.client.wakeP99Ms === undefined ? "" : html`<p class="dim">${KNOWN_ERROR}</p>`}`;

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
  return html`<p class="dim">${formatNumber(counts.offered)} scheduled, ${formatNumber(counts.started)} sent.</p>
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
    : html`<h3>Cancels of video tasks</h3><p class="dim">Tasks by their cancel point; duration of accepted cancels.</p>${htmlTable(cancels.head, cancels.rows.map(short), "numbers")}`
}`;
}

/** What the target told of itself. */
function targetMetrics(run: RunResult): Html | undefined {
  if (run.targetMetrics === undefined) return undefined;
  const table = targetTable(run);
  return card(
    html`<p class="dim">${TARGET_BASIS}</p>${table === undefined ? "" : htmlTable(table.head, table.rows, "numbers")}${targetRemarks(run).map((remark) => html`<p>${remark}</p>`)}`,
  );
}

function failures(run: RunResult): Html | undefined {
  const table = failureTable(run);
  if (table === undefined) return undefined;
  const rows = table.rows.map((row) =>
    row.map((cell, index) =>
      index === FAILED_REQUEST && cell !== "" ? html`<a href="#req-${cell}"><code>${cell}</code></a>` : cell,
    ),
  );
  const time = (row: number): Html | undefined => {
    const failure = table.failures[row];
    return (
      failure && html` data-t="${failure.firstS} ${failure.lastS}" data-failure="${failure.op} ${failureName(failure)}"`
    );
  };
  return card(
    html`${htmlTable(table.head, rows, "failures", time)}${table.remarks.map((remark) => html`<p>${remark}</p>`)}`,
  );
}

/** Requests to look at. */
function requests(run: RunResult): Html | undefined {
  const lists = requestCards(run);
  const points = pointsPlot(run);
  if (lists.length === 0 && points === undefined) return undefined;
  return html`${points}<p class="dim"><code>assay show DIR ID</code> shows any other, <code>assay show DIR --failed</code> lists all failures.</p>
${lists}
`;
}

function checked({ check }: RunResult): Html | undefined {
  if (check === undefined) return undefined;
  const rows = checkRows(check).map(({ id, verdict, count, reason }) => [
    html`${tag(verdict, verdict === "WARN" ? "unsure" : "bad")}`,
    html`<code>${id}</code>`,
    count,
    reason,
  ]);
  const table = rows.length === 0 ? "" : htmlTable(["", "clause", "violated in", "reason"], rows);
  const more = html`<p><a href="${FILES.check}/conformance.html">All clauses, with the exchanges that show them</a></p>`;
  return card(html`<p class="dim">${checkedText(check)}.</p>${table}${more}`);
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

const cost = ({ cost }: RunResult): Html | undefined =>
  cost &&
  card(html`${htmlFacts(costFacts(cost))}${costRemarks(cost).map((remark) => html`<p>${sentence(remark)}</p>`)}`);

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
<p class="dim">Percentiles are exact over all samples, by nearest rank: each is a value that was measured${rounded}. A percentile with fewer than ten samples beyond it is not given (${TOO_FEW}); gaps need as many requests with gaps, because the gaps of one request are alike. Latencies are of requests with the outcome ok in the measured window.${sources.length === 0 ? "" : ` Output tokens were counted from ${sources.join(", ")} requests.`}</p>`;
}
