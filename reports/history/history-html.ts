/** A history as one HTML page: what changed, and each series with its trends and its results. */

import type { HistoryLine } from "../../formats/history.ts";
import { endSentence } from "../../lib/text.ts";
import { formatInstant, formatValue, plural } from "../numbers.ts";
import { FILTER_BUTTONS } from "../page/clause-filter.ts";
import { type Html, html, htmlTable } from "../page/html-template.ts";
import { page, tag, verdictCard } from "../page/page.ts";
import { plotFigure } from "../page/plot.ts";
import { PLOT_SCRIPT } from "../page/plot-script.ts";
import { PLOT_STYLE } from "../page/plot-style.ts";
import type { History, Point, Series } from "./build-history.ts";
import { seriesPlots } from "./history-plots.ts";
import { changeRow, historyTitle, toneOf } from "./history-rows.ts";

const STYLE = `
.verdicts { display: flex; flex-wrap: wrap; gap: 2px; margin: 8px 0 2px; }
.verdicts i { width: 9px; height: 18px; border-radius: 2px; background: var(--tone); }
.day { white-space: nowrap; }
table.results td { overflow-wrap: anywhere; min-width: 90px; }
`;

/** The results of a series that are drawn and listed; of a longer one, the last. */
const MOST_SHOWN = 500;
/** Metrics that the list of results has room for. */
const LISTED = 3;
/** Clauses that are named, of those that changed. */
const NAMED = 6;
/** Tags that have a button. */
const MOST_TAGS = 12;

/** A history as a self-contained HTML document. */
export function historyHtml({ summary, series }: History): string {
  const lasts = series.map(({ points }) => points.at(-1)?.line).filter((line) => line !== undefined);
  const passed = lasts.filter(({ exitCode }) => exitCode === 0).length;
  const tones = lasts.map(toneOf);
  const body = html`${verdictCard({
    tone: tones.includes("bad") ? "bad" : tones.includes("unsure") ? "unsure" : "good",
    word: `Latest results: ${passed} of ${lasts.length} passed`,
    title: historyTitle(summary),
    lines: [html`${series.length} series: results of one name, or of one load, in the order of time.`],
    reasons: summary.unreadable,
  })}${changes(summary.changes)}${filter(summary.results)}${series.map(section)}`;
  return page({
    title: `${historyTitle(summary)} · Assay`,
    aside: summary.tool,
    body,
    script: VERDICT_FILTER + PLOT_SCRIPT,
    style: PLOT_STYLE + FILTER_BUTTONS + STYLE,
  });
}

const RULE =
  "A change is marked if at least three results in a row differ from those before by more than chance, and by at least 1 % or 0.1 points. The interval is corrected for the number of places and metrics: at most 1 of 20 histories of a steady series shows any change. Results whose load generator was the limit, or that are not whole, are left out.";

function changes(found: History["summary"]["changes"]): Html {
  const rows = found.map((change) => {
    const { cells, tone } = changeRow(change);
    const [day = "", series = "", metric = "", values = "", size = "", differences = ""] = cells;
    return [
      html`<span class="day">${day}</span>`,
      html`${tag(change.verdict, tone)} <code>${metric}</code><br><span class="small">${series}</span>`,
      values,
      size,
      differences || "-",
    ];
  });
  const table =
    rows.length === 0
      ? html`<p>No lasting change of a metric.</p>`
      : htmlTable(["first seen", "metric", "mean before → after", "change", "what else changed then"], rows);
  return html`
<h2>Changes</h2>
<section class="card">${table}<p class="dim">${RULE}</p></section>`;
}

/** Buttons for the verdicts, the names and the tags of the results: they show the series, and of their lists the results, that have them. */
function filter(results: readonly HistoryLine[]): Html {
  const verdicts = [...new Set(results.map(({ verdict }) => verdict))];
  const tags = [...new Set([...results.flatMap(nameOf), ...results.flatMap(tagsOf)])].slice(0, MOST_TAGS);
  const buttons = [...verdicts, ...tags].map(
    (word) => html`<button type="button" data-verdict="${word}" aria-pressed="false">${word}</button>`,
  );
  return html`<div class="filter" aria-label="Filter the series and their lists of results">${buttons}</div>`;
}

const nameOf = ({ name }: HistoryLine): string[] => (name === undefined ? [] : [`name=${name}`]);
const tagsOf = ({ tags = {} }: HistoryLine): string[] =>
  Object.entries(tags).map(([name, value]) => `${name}=${value}`);

function section(whole: Series, number: number): Html {
  const series = recent(whole);
  const left = whole.points.length - series.points.length;
  const squares = series.points.map(
    ({ line }) => html`<i class="${toneOf(line)}" title="${formatInstant(line.startedAt)}: ${line.verdict}"></i>`,
  );
  const last = series.points.at(-1)?.line;
  const isTrend = series.points.length > 1;
  return html`
<div class="rows"><h2>${series.name}</h2>
<section class="card"><p class="dim">${series.about}</p>
<div class="verdicts" role="img" aria-label="Verdicts of ${plural(series.points.length, "result")}">${squares}</div>
${last === undefined ? "" : html`<p>${tag(last.verdict, toneOf(last))} ${endSentence(last.conclusion)} <span class="small">${formatInstant(last.startedAt)}</span></p>`}
${left === 0 ? "" : html`<p class="dim">${plural(left, "older result")} of this series: only in the data.</p>`}</section>
${isTrend ? html`<div class="charts">${seriesPlots(series, number).map(plotFigure)}</div>` : html`<p class="dim">One result: its metrics are drawn from the second on.</p>`}
<details class="card rows"${isTrend ? "" : html` open`}><summary>${plural(series.points.length, "result")}, the latest first</summary>${results(series)}</details></div>`;
}

/** The last results of a series; its changes are those of the whole. */
function recent(series: Series): Series {
  const { points, trends } = series;
  const from = Math.max(0, points.length - MOST_SHOWN);
  if (from === 0) return series;
  return {
    ...series,
    points: points.slice(from),
    trends: trends.map((trend) => ({
      ...trend,
      values: trend.values.slice(from),
      shifts: trend.shifts.filter(({ at }) => at > from).map((shift) => ({ ...shift, at: shift.at - from })),
    })),
  };
}

function results({ points, trends }: Series): Html {
  const listed = trends.slice(0, LISTED);
  const rows = points
    .map((point, index) => [
      html`${formatInstant(point.line.startedAt)}`,
      html`${tag(point.line.verdict, toneOf(point.line))}${tagsOf(point.line).map((each) => html` ${tag(each, "none")}`)}${nameOf(point.line).map((each) => html`<span class="tag" hidden>${each}</span>`)}`,
      ...listed.map(({ values, unit }) => {
        const value = values[index];
        return value === undefined ? "-" : formatValue(value.value, unit);
      }),
      whatChanged(point, points[index - 1]),
    ])
    .toReversed();
  return htmlTable(
    ["started", "verdict", ...listed.map(({ name }) => name), "changed since the one before"],
    rows,
    "results",
  );
}

/** Clauses and settings that changed since the result before. */
function whatChanged({ line, differences }: Point, before: Point | undefined): string {
  const clauses =
    line.kind === "conformance" && before?.line.kind === "conformance"
      ? [
          ...named("now fails", minus(line.failed, before.line.failed)),
          ...named("no longer fails", minus(before.line.failed, line.failed)),
        ]
      : [];
  return [...clauses, ...differences].join("; ");
}

const minus = (all: readonly string[], without: readonly string[]) => all.filter((id) => !without.includes(id));

const named = (what: string, ids: readonly string[]): string[] =>
  ids.length === 0
    ? []
    : [`${what}: ${ids.slice(0, NAMED).join(", ")}${ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ""}`];

/**
 * A press on a button of the bar `.filter` shows only the rows that have the button's verdict among their tags, and opens the
 * groups `.rows` that have such rows; a second press shows all.
 */
const VERDICT_FILTER = `
const filter = document.querySelector(".filter");
filter.style.display = "flex";
filter.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const on = button.getAttribute("aria-pressed") !== "true";
  for (const other of filter.children) other.setAttribute("aria-pressed", String(on && other === button));
  const fits = (row) => [...row.querySelectorAll(".tag")].some(({ textContent }) => textContent === button.dataset.verdict);
  for (const group of document.querySelectorAll(".rows")) {
    let some = false;
    for (const row of group.querySelectorAll("tbody tr")) {
      row.hidden = on && !fits(row);
      some ||= !row.hidden;
    }
    group.hidden = !some;
    if (group.tagName === "DETAILS") group.open = on && some;
  }
});
`;
