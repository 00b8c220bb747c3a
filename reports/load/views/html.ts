/** A load run as one HTML page: verdict first, then objectives, figures, charts, definitions and settings. */

import type { RunResult } from "../../../formats/run.ts";
import { METRICS, metric } from "../../../scenarios/metrics.ts";
import { formatFigure, formatInstant, formatNumber, formatValue, plural } from "../../numbers.ts";
import { figure } from "../../page/chart.ts";
import { type Html, html, htmlFacts, htmlTable } from "../../page/html-template.ts";
import { page, settingsTable, tag, verdictCard } from "../../page/page.ts";
import { runVerdict } from "../../verdict-words.ts";
import { loadCharts } from "./charts.ts";
import { failureTable } from "./failure-rows.ts";
import { notesOf } from "./notes.ts";
import {
  basis,
  clientFacts,
  distributionRows,
  facts,
  KNOWN_ERROR,
  NOT_MEASURED,
  outageSentence,
  outcomeRows,
  type Shown,
  STATISTIC_COLUMNS,
  scalarRows,
  shownOf,
  sloRow,
  stepTable,
  TOO_FEW,
} from "./table-rows.ts";

/** A run as a self-contained HTML document. */
export function loadHtml(run: RunResult): string {
  const shown = shownOf(run);
  const body = html`${verdict(run)}
${tiles(run)}
<section class="card">${htmlFacts(facts(run))}</section>
<h2>Objectives</h2>
<section class="card">${sloTable(run)}</section>
<h2>Latencies</h2>
<section class="card">${latencyTable(run.metrics, run.counts, shown)}</section>${stepped(run)}
${shown.ops.length > 1 ? shown.ops.map((op) => perOp(run, op)) : ""}
<h2>Over time</h2>
<div class="charts">${loadCharts(run).map(figure)}</div>
<h2>Outcomes</h2>
<section class="card">${outcomes(run)}</section>${failures(run)}
<h2>Totals</h2>
<section class="card">${scalars(run, shown)}</section>
<h2>Load generator</h2>
<section class="card">${htmlFacts(clientFacts(run))}${run.client.wakeP99Ms === undefined ? "" : html`<p class="dim">${KNOWN_ERROR}</p>`}</section>
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
  const valid = run.validity.verdict === "VALID";
  return verdictCard({
    tone,
    word,
    title: `${run.scenario}, ${run.shape}`,
    lines: [html`${run.conclusion}`, html`The run is ${tag(run.validity.verdict, valid ? "good" : "unsure")}`],
    reasons: [...run.validity.reasons, ...notesOf(run), ...run.outages.map(outageSentence)],
  });
}

/** The figures to look at first, each with its number of samples. */
function tiles({ metrics, counts, ops }: RunResult): Html {
  const first = "chat.stream" in ops ? METRICS.ttft : METRICS.e2e;
  const name = first === METRICS.ttft ? "ttft" : "e2e";
  const latency = metrics[name];
  const quantile = (key: "p50" | "p95") =>
    tile(
      `${first.title}, ${key}`,
      latency && (latency[key] === undefined ? TOO_FEW : `${formatFigure(latency[key])} ms`),
      latency && `n = ${formatNumber(latency.count)}, outcome ok`,
    );
  const scalar = (key: keyof typeof METRICS, note: string) => {
    const value = metrics[key]?.value;
    return tile(metric(key).title, value === undefined ? undefined : formatValue(value, metric(key).unit), note);
  };
  const asked = plural(counts.completed + counts.not_started, "request");
  const amount = "embeddings" in ops && !("chat.stream" in ops) ? "embedding_items_per_s" : "output_tokens_per_s";
  return html`<div class="tiles">${"video.submit" in ops && latency === undefined ? "" : [quantile("p50"), quantile("p95")]}
${[scalar("requests_per_s", "outcome ok, in the measured window"), ...("video.submit" in ops ? [] : [scalar(amount, "of ok requests")]), scalar("error_rate", `of ${asked}`)]}</div>`;
}

function tile(name: string, value: string | undefined, note: string | undefined): Html {
  const absent = value === undefined || value === TOO_FEW;
  return html`<div class="tile"><div class="name">${name}</div><div class="value${absent ? " absent" : ""}">${value ?? NOT_MEASURED}</div><div class="note">${note}</div></div>`;
}

function sloTable(run: RunResult): Html {
  const tones = { met: "good", missed: "bad", undecided: "unsure" } as const;
  const rows = run.slos
    .map(sloRow)
    .map(({ expr, observed, word }) => [html`<code>${expr}</code>`, observed, tag(word, tones[word])]);
  return htmlTable(["objective", "observed", ""], rows);
}

function latencyTable(metrics: RunResult["metrics"], counts: RunResult["counts"], shown: Shown): Html {
  const rows = distributionRows(metrics, shown).map(({ name, title, unit, note, cells }) => {
    const more = note === undefined ? "" : html`<br><span class="small">${note}</span>`;
    const head = html`${title}<br><span class="small"><code>${name}</code> ${unit}</span>${more}`;
    const values = cells ?? [NOT_MEASURED, ...STATISTIC_COLUMNS.slice(1).map(() => "")];
    return [
      head,
      ...values.map((cell) =>
        cell === TOO_FEW || cell === NOT_MEASURED ? html`<span class="small">${cell}</span>` : cell,
      ),
    ];
  });
  return html`<p class="dim">Latencies ${basis(counts)}.</p>${htmlTable(["", ...STATISTIC_COLUMNS], rows, "numbers")}`;
}

function stepped(run: RunResult): Html {
  const steps = stepTable(run);
  return steps === undefined
    ? html``
    : html`
<h2>Step by step</h2>
<section class="card"><p class="dim">Requests by the time at which they were due; latencies of those with the outcome ok.</p>${htmlTable(steps.head, steps.rows, "numbers")}</section>`;
}

function perOp(run: RunResult, op: string): Html {
  const part = run.ops[op];
  if (part === undefined) return html``;
  return html`<details class="card"><summary><code>${op}</code> alone</summary>${latencyTable(part.metrics, part.counts, { ops: [op], untimed: false })}</details>`;
}

function outcomes({ counts, metrics }: RunResult): Html {
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
  return html`<p class="dim">${plural(counts.offered, "arrival")} due, ${formatNumber(counts.started)} started.</p>
${htmlTable(["outcome", "requests", "share", ""], table, "bars")}
${
  video.length === 0
    ? ""
    : html`<h3>Video tasks</h3>${htmlTable(
        ["end", "tasks"],
        video.map(([end, count]) => [html`<code>${end}</code>`, formatNumber(count)]),
      )}`
}`;
}

function failures(run: RunResult): Html {
  const table = failureTable(run);
  if (table === undefined) return html``;
  return html`
<h2>Failures</h2>
<section class="card">${htmlTable(table.head, table.rows)}${table.remarks.map((remark) => html`<p>${remark}</p>`)}</section>`;
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
