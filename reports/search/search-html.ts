/** A search as one HTML page: verdict first, then the curves, then every run with a link to its report. */

import { loadOf, type SearchResult } from "../../formats/search.ts";
import { sentence } from "../../lib/text.ts";
import { formatInstant, formatNumber, plural } from "../numbers.ts";
import { type Html, html, htmlFacts, htmlTable } from "../page/html-template.ts";
import { foldedSettings, page, tag, verdictCard } from "../page/page.ts";
import { plotFigure } from "../page/plot.ts";
import { PLOT_SCRIPT } from "../page/plot-script.ts";
import { PLOT_STYLE } from "../page/plot-style.ts";
import { formatLoad } from "./load-text.ts";
import { searchPlots } from "./search-plots.ts";
import { STEP_TONES, searchFacts, searchVerdict, stepCells, stepColumns, stepRemark } from "./step-rows.ts";

/** A search as a self-contained HTML document; links are relative to its result folder. */
export function searchHtml(search: SearchResult): string {
  const { word, tone } = searchVerdict(search);
  const { scenario, found, unit } = search;
  const plots = searchPlots(search);
  const body = html`${verdictCard({
    tone,
    word,
    title: found === null ? scenario : `${scenario}: ${formatLoad(loadOf(found), unit)}`,
    lines: [html`${sentence(search.conclusion)}`],
    reasons: [],
  })}
${tiles(search)}
<div class="charts">${plots.map(plotFigure)}</div>
<h2>Runs</h2>
<section class="card">${runs(search)}</section>
<h2>The search</h2>
<section class="card">${htmlFacts(searchFacts(search))}</section>
${foldedSettings(search.settings)}`;
  return page({
    title: `${word}: ${scenario} · Assay`,
    aside: `${search.tool} · ${formatInstant(search.startedAt)}`,
    body,
    style: PLOT_STYLE + STEPS_STYLE,
    ...(plots.length > 0 && { script: PLOT_SCRIPT }),
  });
}

const STEPS_STYLE = `
table.steps tbody th, table.steps td { white-space: nowrap; }
table.steps td:last-child { min-width: 300px; white-space: normal; overflow-wrap: anywhere; }
@media print { table.steps td:last-child { min-width: 0; } }
`;

function tiles({ found, bracket, unit, steps }: SearchResult): Html {
  const known = (load: number | null): string => (load === null ? "not known" : formatLoad(load, unit));
  const confirmed = steps.findLast((step) => step.purpose === "confirm" && step.verdict === "met");
  const tile = (name: string, value: string, note: string): Html =>
    html`<div class="tile"><div class="name">${name}</div><div class="value${value === "not known" ? " absent" : ""}">${value}</div><div class="note">${note}</div></div>`;
  return html`<div class="tiles">${[
    tile(
      "Highest load that meets the objectives",
      known(found === null ? null : loadOf(found)),
      found === null ? "not confirmed" : "confirmed by a run of full length",
    ),
    tile("Met", known(bracket.met), "highest of all runs"),
    tile("Missed", known(bracket.missed), "lowest above it"),
    tile(
      "Runs",
      formatNumber(steps.length),
      confirmed === undefined
        ? "none confirms a load"
        : `${plural(confirmed.arrivals, "arrival")} in the one that confirms`,
    ),
  ]}</div>`;
}

/** The verdict stands after the load, so that a narrow screen shows it. */
const runs = (search: SearchResult): Html => {
  const [load = "", ...columns] = stepColumns(search);
  return htmlTable(
    ["run", load, "verdict", ...columns, "why"],
    search.steps.map((step) => {
      const [loaded = "", ...cells] = stepCells(step, search);
      return [
        html`<a href="${step.run}/run.html">${step.run}</a>`,
        loaded,
        tag(step.verdict, STEP_TONES[step.verdict]),
        ...cells,
        html`<span class="small">${stepRemark(step)}</span>`,
      ];
    }),
    "steps",
  );
};
