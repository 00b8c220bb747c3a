/** A calibration as one HTML page: the load up to which this machine can be trusted, its limits, and the error by load. */

import type { Calibration, CalibrationStep, ErrorSize } from "../../formats/calibration.ts";
import { formatInstant } from "../numbers.ts";
import { type Html, html, htmlFacts, htmlTable } from "../page/html-template.ts";
import { page, tag, verdictCard } from "../page/page.ts";
import { type Plot, plotFigure } from "../page/plot.ts";
import { aroundLog } from "../page/plot-axis.ts";
import { PLOT_SCRIPT } from "../page/plot-script.ts";
import { PLOT_STYLE } from "../page/plot-style.ts";
import { type CalibrationBody, calibrationSections, calibrationVerdict } from "./calibration-report.ts";
import { TRUSTED_GAP_ERROR_MS } from "./calibration-steps.ts";

/** A calibration as a self-contained HTML document. */
export function calibrationHtml(calibration: Calibration): string {
  const { word, tone, sentence } = calibrationVerdict(calibration);
  const title = "Timing error of this machine";
  const body = html`${verdictCard({ tone, word, title, lines: [html`${sentence}`], reasons: [] })}
${calibrationSections(calibration).map(({ id, title, body }) => html`<h2 id="${id}">${title}</h2>\n${bodyOf(body)}\n`)}`;
  return page({
    title: `${word}: ${title} · Assay`,
    aside: `${calibration.tool} · ${formatInstant(calibration.at)}`,
    ...{ body, style: PLOT_STYLE, script: PLOT_SCRIPT },
  });
}

function bodyOf(body: CalibrationBody): Html {
  if ("lines" in body) return card(html`<ul class="reasons">${body.lines.map((line) => html`<li>${line}</li>`)}</ul>`);
  if ("facts" in body) return card(htmlFacts(body.facts));
  if ("steps" in body) return html`<div class="charts">${errorPlots(body.steps).map(plotFigure)}</div>`;
  const rows = body.rows.map(({ cells: [streams = "", ...cells], isTrusted }) => [
    html`${streams} ${isTrusted ? tag("trusted", "good") : tag("not trusted", "unsure")}`,
    ...cells,
  ]);
  return card(html`<p class="dim">${body.basis}.</p>${htmlTable(body.head, rows, "numbers")}`);
}

const card = (content: Html): Html => html`<section class="card">${content}</section>`;

const ERRORS = [
  ["p50", "s1"],
  ["p99", "s2"],
  ["max", "s6"],
] as const;

/** The errors by the number of streams; the p99 of gaps decides. */
function errorPlots(steps: readonly CalibrationStep[]): Plot[] {
  const plot = (name: string, title: string, of: (step: CalibrationStep) => ErrorSize, more: Partial<Plot>): Plot => ({
    ...{ name, title },
    caption: "ms by the number of streams, both logarithmic",
    x: aroundLog(
      steps.map(({ streams }) => streams),
      "streams",
    ),
    y: aroundLog([TRUSTED_GAP_ERROR_MS, ...steps.flatMap((step) => ERRORS.map(([error]) => of(step)[error]))], "ms"),
    layers: ERRORS.map(([error, colour]) => ({
      ...{ kind: "line", name: error, colour },
      points: steps.map((step) => [step.streams, of(step)[error]] as const),
    })),
    table: {
      head: ["streams", ...ERRORS.map(([error]) => `${error} ms`)],
      rows: steps.map((step) => [step.streams, ...ERRORS.map(([error]) => of(step)[error])]),
    },
    ...more,
  });
  return [
    plot("gaps", "Error of the gaps between chunks", ({ gapError }) => gapError, {
      marks: [{ kind: "y", at: TRUSTED_GAP_ERROR_MS, label: `p99 ≤ ${TRUSTED_GAP_ERROR_MS} ms`, missed: false }],
    }),
    plot("ttft", "Error of the time to first token", ({ ttftError }) => ttftError, {}),
  ];
}
