/** Several runs of unlike loads as a page, as Markdown and for a terminal. */

import pc from "picocolors";
import type { RunsResult } from "../../formats/runs.ts";
import { plainLine, sentence } from "../../lib/text.ts";
import { md, table } from "../markdown-syntax.ts";
import { formatInstant, plural } from "../numbers.ts";
import { type Html, html, htmlTable } from "../page/html-template.ts";
import { page, verdictCard } from "../page/page.ts";
import { type Plot, plotFigure } from "../page/plot.ts";
import { PLOT_SCRIPT } from "../page/plot-script.ts";
import { PLOT_STYLE } from "../page/plot-style.ts";
import { columns, joinSections, paint, type TerminalOptions } from "../terminal-text.ts";
import { MARKS, runVerdict } from "../verdict-words.ts";
import { runTable } from "./run-table.ts";
import { runsPlots } from "./runs-plots.ts";

/** `12 runs of chat-stream by rate and max-tokens`. */
const titleOf = ({ runs, scenarios, grid }: RunsResult): string =>
  `${plural(runs.length, "run")}${scenarios.length === 0 ? "" : ` of ${scenarios.join(", ")}`}${grid === undefined ? "" : ` by ${grid.axes.join(" and ")}`}`;

/** A page; links are relative to its folder. */
export function runsHtml(result: RunsResult): string {
  const { runs, targets, notes } = result;
  return severalPage(result, {
    ...{ title: titleOf(result), started: runs, targets, notes },
    ...{ plots: runsPlots(result), heading: "What differs", table: tableOf(result) },
  });
}

/** What a page of several results shows. */
interface Several {
  readonly title: string;
  readonly started: readonly { readonly startedAt: string }[];
  readonly targets: readonly string[];
  readonly notes: readonly string[];
  readonly plots: readonly Plot[];
  readonly heading: string;
  readonly table: Html;
}

/** The page of several runs, or of several searches: verdict, plots and a table. */
export function severalPage(
  result: Pick<RunsResult, "exitCode" | "conclusion" | "tool">,
  { title, started, targets, notes, plots, heading, table: shown }: Several,
): string {
  const { word, tone } = runVerdict(result);
  const body = html`${verdictCard({
    ...{ tone, word, title },
    lines: [html`${sentence(result.conclusion)}`, html`<span class="dim">${targets.join(", ")}</span>`],
    reasons: notes,
    areRemarks: true,
  })}
<div class="charts">${plots.map(plotFigure)}</div>
<h2>${heading}</h2>
<section class="card">${shown}</section>`;
  const startedAt = started.map((each) => each.startedAt).toSorted()[0] ?? "";
  return page({
    title: `${word}: ${title} · Assay`,
    aside: `${result.tool} · ${formatInstant(startedAt)}`,
    body,
    script: PLOT_SCRIPT,
    style: PLOT_STYLE + WIDE,
  });
}

/** Legends and tables of several settings are wide. */
const WIDE = `
.charts { grid-template-columns: 1fr !important; }
.frame { height: 280px; }
table.numbers tbody th { min-width: 0; }
`;

function tableOf(result: RunsResult): Html {
  const { head, rows } = runTable(result);
  return htmlTable(
    ["run", ...head],
    result.runs.map(({ dir, source }, index) => [
      html`<a href="${dir}/run.html">${dir}</a>${source === undefined ? "" : html`<br><span class="small">${source}</span>`}`,
      ...(rows[index] ?? []),
    ]),
    "numbers",
  );
}

const rowsOf = (
  result: RunsResult,
  name: (run: RunsResult["runs"][number]) => string,
  cell: (text: string) => string,
) =>
  runTable(result).rows.map((row, index) => {
    const run = result.runs[index];
    return [run === undefined ? "" : name(run), ...row.map(cell)];
  });

/** Markdown, ending with a line end. */
export function runsMarkdown(result: RunsResult): string {
  const { tone, word } = runVerdict(result);
  const sections = [
    `## ${MARKS[tone]} ${word}: ${md(titleOf(result))}`,
    md(sentence(result.conclusion)),
    table(
      ["run", ...runTable(result).head.map(md)],
      rowsOf(result, ({ dir, source }) => (source === undefined ? dir : `${dir} (${md(source)})`), md),
      true,
    ),
    result.notes.map((note) => `- ${md(note)}`).join("\n"),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** Lines of text, ending with a line end. */
export function runsTerminal(result: RunsResult, { colour }: TerminalOptions): string {
  const c = pc.createColors(colour);
  const { word, tone } = runVerdict(result);
  const { head } = runTable(result);
  const right = new Set(head.map((_, index) => index + 1));
  const [first = "", ...lines] = columns(
    [
      ["  run", ...head],
      ...rowsOf(result, ({ dir, source }) => `  ${source === undefined ? dir : plainLine(source)}`, plainLine),
    ],
    right,
  );
  return joinSections([
    [
      `${paint(tone, c)(c.bold(word))}  ${plainLine(titleOf(result))}: ${plainLine(result.conclusion)}`,
      ...result.notes.map((note) => `  ${plainLine(note)}`),
    ],
    [c.dim(first), ...lines],
  ]);
}
