/** A load run as one HTML page: verdict first, then objectives, figures, charts, definitions and settings. */

import { FILES } from "../../../formats/file-names.ts";
import type { Failure, RunResult } from "../../../formats/run.ts";
import { type METRICS, metric } from "../../../scenarios/metrics.ts";
import { formatInstant, formatNumber, formatValue, plural } from "../../numbers.ts";
import { figure } from "../../page/chart.ts";
import { type Html, html, htmlFacts, htmlTable } from "../../page/html-template.ts";
import { page, settingsTable, tag, verdictCard } from "../../page/page.ts";
import { runVerdict, VALIDITY_WORDS } from "../../verdict-words.ts";
import { checkedText } from "../metrics/sample-check.ts";
import { opsOfWorkloads, workloadsOf } from "../read/run-workloads.ts";
import { callTable, cancelTable, latencyBreakdowns, type Table } from "./breakdown-tables.ts";
import { loadCharts } from "./charts.ts";
import { failureTable } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import { requestTables } from "./request-rows.ts";
import {
  basis,
  checkRows,
  clientFacts,
  distributionRows,
  facts,
  figureOf,
  headlineOf,
  KNOWN_ERROR,
  NOT_MEASURED,
  outageSentence,
  outcomeRows,
  type Shown,
  type SloRow,
  STATISTIC_COLUMNS,
  scalarRows,
  shownOf,
  sloRow,
  TOO_FEW,
  units,
} from "./table-rows.ts";
import { TARGET_BASIS, targetRemarks, targetTable } from "./target-rows.ts";

/** A run as a self-contained HTML document. */
export function loadHtml(run: RunResult): string {
  const shown = shownOf(run);
  const body = html`${verdict(run)}
<h2>Objectives</h2>
<section class="card">${sloTable(run)}</section>${failures(run)}
${tiles(run)}
<h2>Latencies</h2>
<section class="card">${latencyTable(run.metrics, shown, run.counts)}</section>${latencyBreakdowns(run).map(({ title, summary, basis: text, table }) => section(title, summary === undefined ? text : `${summary}. ${text}`, table))}
${alone(run)}
<h2>Over time</h2>
<div class="charts">${loadCharts(run).map(figure)}</div>
${targetMetrics(run)}<h2>Outcomes</h2>
<section class="card">${outcomes(run)}</section>${checked(run)}${section("Requests by operation", "A unit of work may take several requests.", callTable(run))}
${requests(run)}<h2>Totals</h2>
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

/** The figures to look at first, each with its number of samples. */
function tiles({ metrics, counts, ops, validity }: RunResult): Html {
  const usable = validity.verdict === "VALID";
  const latency = headlineOf(metrics);
  const quantile = (key: "p50" | "p95") =>
    latency === undefined
      ? tile(`Latency, ${key}`, undefined, undefined)
      : tile(
          `${metric(latency.name).title}, ${key}`,
          withUnit(figureOf(latency.result, key)),
          `n = ${formatNumber(latency.result.count)}${latency.result.notStarted === undefined ? ", outcome ok" : `, of which ${formatNumber(latency.result.notStarted)} never started`}`,
        );
  const scalar = (key: keyof typeof METRICS, note: string) => {
    const value = metrics[key]?.value;
    return tile(metric(key).title, value === undefined ? undefined : formatValue(value, metric(key).unit), note);
  };
  return html`<div class="tiles${usable ? "" : " unusable"}">${[quantile("p50"), quantile("p95")]}
${[scalar("requests_per_s", "units of work with the outcome ok"), scalar(amountOf(ops), "in the measured window"), scalar("error_rate", `of ${units(counts.offered)} that were due`)]}</div>`;
}

const withUnit = (figure: string): string => (figure === TOO_FEW ? figure : `${figure} ms`);

/** What a run delivers beside whole units of work. */
function amountOf(ops: RunResult["ops"]): keyof typeof METRICS {
  if ("chat.stream" in ops || "chat" in ops) return "output_tokens_per_s";
  return "embeddings" in ops ? "embedding_items_per_s" : "tasks_per_s";
}

function tile(name: string, value: string | undefined, note: string | undefined): Html {
  const absent = value === undefined || value === TOO_FEW;
  return html`<div class="tile"><div class="name">${name}</div><div class="value${absent ? " absent" : ""}">${value ?? NOT_MEASURED}</div><div class="note">${note}</div></div>`;
}

function sloTable(run: RunResult): Html {
  const tones = { met: "good", missed: "bad", undecided: "unsure", "defines goodput": "unsure" } as const;
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

function latencyTable(metrics: RunResult["metrics"], shown: Shown, counts?: RunResult["counts"]): Html {
  const rows = distributionRows(metrics, shown).map(({ name, title, unit, note, cells }) => {
    const more = note === undefined ? "" : html`<br><span class="small">${note}</span>`;
    const head = html`${title}<br><span class="small"><code>${name}</code> ${unit}</span>${more}`;
    const values = cells ?? [NOT_MEASURED, ...STATISTIC_COLUMNS.slice(1).map(() => "")];
    return [
      head,
      ...values.map((cell) =>
        cell === NOT_MEASURED ? html`<span class="small">${cell}</span>` : cell === TOO_FEW ? "-" : cell,
      ),
    ];
  });
  const over = counts === undefined ? "" : html`<p class="dim">Latencies ${basis(counts)}.</p>`;
  const gaps = rows.some((row) => row.includes("-"))
    ? html`<p class="dim small">- ${TOO_FEW} for this percentile</p>`
    : "";
  return html`${over}${htmlTable(["", ...STATISTIC_COLUMNS], rows, "numbers")}${gaps}`;
}

function section(title: string, text: string, table: Table | undefined): Html {
  return table === undefined
    ? html``
    : html`
<h2>${title}</h2>
<section class="card"><p class="dim">${text}</p>${htmlTable(table.head, table.rows.map(short), "numbers")}</section>`;
}

const short = (cells: readonly string[]): string[] => cells.map((cell) => (cell === TOO_FEW ? "-" : cell));

/** The latencies of each workload of several, or of each operation of another load that has several. */
function alone(run: RunResult): Html[] {
  if (run.parts !== undefined) return Object.entries(run.parts).map(([part, result]) => perPart(run, part, result));
  const ops = Object.keys(run.ops);
  return ops.length > 1 ? ops.map((op) => perOp(run, op)) : [];
}

const perOp = (run: RunResult, op: string): Html =>
  details(op, run.ops[op]?.metrics ?? {}, { ...shownOf(run), ops: [op] });

const perPart = (run: RunResult, part: string, { counts, metrics }: NonNullable<RunResult["parts"]>[string]): Html =>
  details(part, metrics, { ...shownOf(run), ops: opsOf(run, part) }, counts);

/** What a workload sends; one with a scenario may send anything, of which the run shows what it did. */
function opsOf({ settings, ops }: RunResult, name: string): readonly string[] {
  const workload = workloadsOf(settings)?.find((each) => each.name === name);
  return workload?.operation === undefined ? Object.keys(ops) : opsOfWorkloads([workload]);
}

const details = (name: string, metrics: RunResult["metrics"], shown: Shown, counts?: RunResult["counts"]): Html =>
  html`<details class="card"><summary><code>${name}</code> alone</summary>${latencyTable(metrics, shown, counts)}</details>`;

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
${htmlTable(["outcome", "units of work", "share", ""], table, "bars")}
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
  return html`<h2>The target's own metrics</h2>
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

/** Requests to look at; the id of each is an anchor. */
function requests(run: RunResult): Html {
  const tables = requestTables(run);
  if (tables.length === 0) return html``;
  const anchors = new Set<string>();
  const row = ([id = "", ...cells]: readonly string[]) => {
    const isFirst = !anchors.has(id);
    anchors.add(id);
    return [isFirst ? html`<code id="req-${id}">${id}</code>` : html`<code>${id}</code>`, ...cells];
  };
  return html`<h2>Requests</h2>
<p class="dim">Times are of single requests. <code>assay show DIR ID</code> shows one from when it was due to its end, <code>assay show DIR --failed</code> lists all that failed.</p>
${tables.map(({ title, table }) => html`<details class="card"><summary>${title}</summary>${htmlTable(table.head, table.rows.map(row), "numbers")}</details>`)}
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
