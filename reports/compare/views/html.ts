/** A comparison as one HTML page: verdict, metrics, intervals as a picture, both distributions of each latency. */

import type { CompareResult } from "../../../formats/compare.ts";
import { sentence } from "../../../lib/text.ts";
import { metric as definitionOf, METRICS } from "../../../load/objectives/metrics.ts";
import { type Html, html, htmlFacts, htmlTable } from "../../page/html-template.ts";
import { page, tag, verdictCard } from "../../page/page.ts";
import { plotFigure } from "../../page/plot.ts";
import { PLOT_SCRIPT } from "../../page/plot-script.ts";
import { PLOT_STYLE } from "../../page/plot-style.ts";
import { bothStrips, type FirstRuns } from "./both-strips.ts";
import { comparisonPlots } from "./comparison-plots.ts";
import {
  COMPARISON_COLUMNS,
  comparisonFacts,
  comparisonRow,
  comparisonTitle,
  comparisonVerdict,
  INTERVALS,
  runRows,
} from "./comparison-rows.ts";
import { INTERVAL_BARS, INTERVAL_STYLE, intervalBar, intervalSpan } from "./interval-bars.ts";

/** A comparison as a self-contained HTML document. @param first with their strips; absent: without */
export function compareHtml(result: CompareResult, first: FirstRuns = {}): string {
  const { word, tone } = comparisonVerdict(result);
  const plots = comparisonPlots(result);
  const strips = bothStrips(result, first);
  const body = html`${verdictCard({
    tone,
    word,
    title: comparisonTitle(result),
    lines: [html`${sentence(result.conclusion)}`],
    reasons: result.notes,
  })}
${strips}<section class="card">${htmlFacts(comparisonFacts(result))}</section>${metrics(result)}${eachRun(result)}${
    plots.length === 0
      ? ""
      : html`
<h2>Distributions</h2>
<div class="charts">${plots.map(plotFigure)}</div>`
  }${definitions(result)}
<details class="card"><summary>Result folders</summary>${htmlTable(
    ["side", "folder"],
    [...result.base.map((dir) => ["base", dir]), ...result.new.map((dir) => ["new", dir])],
  )}</details>`;
  return page({
    title: `${word}: ${comparisonTitle(result)} · Assay`,
    ...{ aside: result.tool, body, style: PLOT_STYLE + INTERVAL_STYLE },
    ...((strips.text !== "" || plots.length > 0) && { script: PLOT_SCRIPT }),
  });
}

function metrics(result: CompareResult): Html {
  const { metrics: compared, notCompared = [] } = result;
  if (compared.length === 0) return html``;
  const span = intervalSpan(compared);
  const rows = compared.map((metric) => {
    const { name, cells, verdict, tone, note } = comparisonRow(metric);
    return [
      html`<code>${name}</code>${note === undefined ? "" : html`<br><span class="small">${note}</span>`}`,
      tag(verdict, tone),
      html`<div class="${tone}">${intervalBar(metric, span)}</div>`,
      ...cells.slice(0, -1),
    ];
  });
  // A narrow screen shows the first columns.
  const columns = [...COMPARISON_COLUMNS.slice(-1), "how much worse", ...COMPARISON_COLUMNS.slice(0, -1)];
  const others = notCompared.map(({ name, reason }) => `${name} (${reason})`).join(", ");
  return html`
<h2>Metrics</h2>
<section class="card">${htmlTable(["", ...columns], rows, "numbers")}${
    others === "" ? "" : html`<p>Not compared: ${others}.</p>`
  }<p class="dim">${INTERVALS}. ${INTERVAL_BARS}.</p></section>`;
}

function eachRun(result: CompareResult): Html {
  const rows = runRows(result);
  return rows.length === 0
    ? html``
    : html`
<h2>Run by run</h2>
<section class="card">${htmlTable(
        ["", "base", "new"],
        rows.map(([name, base, next]) => [html`<code>${name}</code>`, base, next]),
      )}</section>`;
}

/** The definitions of the metrics, each once. */
function definitions({ metrics: compared }: CompareResult): Html {
  const known = Object.keys(METRICS).filter((name): name is keyof typeof METRICS => name in METRICS);
  const rows = known
    .filter((name) => compared.some((each) => each.name === name || each.name.startsWith(`${name}_p`)))
    .map((name) => [html`<code>${name}</code>`, definitionOf(name).definition]);
  return rows.length === 0
    ? html``
    : html`
<h2>Definitions</h2>
<section class="card">${htmlTable(["metric", "definition"], rows)}</section>`;
}
