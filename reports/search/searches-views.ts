/** The searches of a grid as a page, as Markdown and for a terminal. */

import pc from "picocolors";
import { loadOf } from "../../formats/search.ts";
import type { OneSearch, SearchesResult } from "../../formats/searches.ts";
import { plainLine, sentence } from "../../lib/text.ts";
import { formatAmount } from "../load/views/cost-rows.ts";
import { md, table } from "../markdown-syntax.ts";
import { formatFigure } from "../numbers.ts";
import { html, htmlTable } from "../page/html-template.ts";
import type { Plot } from "../page/plot.ts";
import { curvesPlot } from "../runs/runs-plots.ts";
import { severalPage } from "../runs/runs-views.ts";
import { columns, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import { MARKS, runVerdict } from "../verdict-words.ts";
import { formatLoad } from "./load-text.ts";
import { searchVerdict } from "./step-rows.ts";

/** `4 searches of chat-stream by max-tokens and input-tokens`. */
const titleOf = ({ searches, grid }: SearchesResult): string =>
  `${grid.cells} searches${searches[0] === undefined ? "" : ` of ${searches[0].scenario}`} by ${grid.axes.join(" and ")}`;

const HEAD = ["verdict", "highest load", "limited by", "latency", "cost of 1,000 ok"];

/** The values of a search and what it found, in the order of the settings and of `HEAD`. */
export function searchRow(search: OneSearch, { grid }: SearchesResult): string[] {
  const { found, unit, limitedBy, latency, costPer1000Ok, currency, values } = search;
  return [
    ...grid.axes.map((axis) => String(values[axis] ?? "")),
    searchVerdict(search).word,
    found === null ? "-" : formatLoad(loadOf(found), unit),
    limitedBy ?? "-",
    latency === undefined ? "-" : `${latency.name} ${formatFigure(latency.ms)} ms`,
    costPer1000Ok === undefined ? "-" : formatAmount(costPer1000Ok, currency),
  ];
}

/** The highest load over the first setting whose values are numbers; undefined where there is none, or nothing was found. */
export function searchesPlot({ searches, grid: { axes } }: SearchesResult): Plot | undefined {
  const axis = axes.find((each) => searches.every(({ values }) => typeof values[each] === "number"));
  const [first] = searches;
  if (axis === undefined || first === undefined) return undefined;
  const others = axes.filter((each) => each !== axis);
  const nameOf = ({ values }: OneSearch): string => others.map((each) => `${each} ${values[each]}`).join(", ");
  const placesOf = (name: string) =>
    searches
      .filter((search) => nameOf(search) === name)
      .flatMap(({ dir, values, found }) => {
        const settings = others.map((each) => String(values[each] ?? ""));
        return found === null
          ? []
          : [{ x: Number(values[axis]), y: loadOf(found), dir, page: "search.html", settings }];
      })
      .toSorted((a, b) => a.x - b.x);
  const isRate = first.unit === "rate";
  return curvesPlot(
    {
      name: "frontier",
      title: `Highest ${isRate ? "rate" : "number of users"} by ${axis}`,
      caption: `highest ${isRate ? "arrivals per second" : "number of users"} that meets the objectives, over ${axis}; ${others.length === 0 ? "" : "a line per combination of the other settings; "}a point leads to its search`,
      units: ["", isRate ? "/s" : ""],
      head: [axis, isRate ? "rate /s" : "users"],
      more: ["search", ...others],
    },
    [...new Set(searches.map(nameOf))].map((name) => ({
      name: name === "" ? "all searches" : name,
      places: placesOf(name),
    })),
  );
}

/** A page; links are relative to its folder. */
export function searchesHtml(result: SearchesResult): string {
  const { searches, grid } = result;
  const plot = searchesPlot(result);
  const rows = searches.map((search) => [
    html`<a href="${search.dir}/search.html">${search.dir}</a>`,
    ...searchRow(search, result),
  ]);
  return severalPage(result, {
    ...{ title: titleOf(result), started: searches, notes: [], plots: plot === undefined ? [] : [plot] },
    targets: [...new Set(searches.map(({ target }) => target))],
    heading: "What each search found",
    table: htmlTable(["search", ...grid.axes, ...HEAD], rows, "numbers"),
  });
}

/** Markdown, ending with a line end. */
export function searchesMarkdown(result: SearchesResult): string {
  const { tone, word } = runVerdict(result);
  const rows = result.searches.map((search) => [
    `[${search.dir}](${search.dir}/search.md)`,
    ...searchRow(search, result).map(md),
  ]);
  return `## ${MARKS[tone]} ${word}: ${md(titleOf(result))}

${md(sentence(result.conclusion))}

${table(["search", ...result.grid.axes.map(md), ...HEAD], rows, true)}
`;
}

/** Lines of text, ending with a line end. */
export function searchesTerminal(result: SearchesResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone } = runVerdict(result);
  const [first = "", ...lines] = columns([
    ["  search", ...result.grid.axes, ...HEAD],
    ...result.searches.map((search) => [`  ${search.dir}`, ...searchRow(search, result).map(plainLine)]),
  ]);
  return joinSections([
    [`${paint(tone, c)(c.bold(word))}  ${plainLine(titleOf(result))}: ${plainLine(result.conclusion)}`],
    [c.dim(first), ...lines],
  ]);
}
