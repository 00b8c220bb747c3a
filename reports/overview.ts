/** One page about several results, such as those of a demo: the verdict of each, its main figures, a link to its report. */

import type { ConformanceResult } from "../formats/conformance.ts";
import type { RunResult } from "../formats/run.ts";
import { conformanceLine } from "./conformance/one-line.ts";
import { headlineLatency } from "./load/views/one-line.ts";
import { NOT_MEASURED } from "./load/views/table-rows.ts";
import { formatInstant, formatNumber, formatValue, plural } from "./numbers.ts";
import { type Html, html, htmlTable } from "./page/html-template.ts";
import { page, tag, verdictCard } from "./page/page.ts";
import { conformanceVerdict, runVerdict, type Tone } from "./verdict-words.ts";

export interface Overview {
  readonly title: string;
  readonly conformance?: { readonly result: ConformanceResult; readonly href: string };
  /** In the order in which they are shown; with a name where the loads are the same. */
  readonly loads: readonly { readonly result: RunResult; readonly href: string; readonly name?: string }[];
  readonly tool: string;
  /** What the page begins with. */
  readonly intro?: Html;
  /** Further parts of the page. */
  readonly more?: readonly Html[];
}

/** Several results as one self-contained HTML document; links are relative addresses of the reports. */
export function overviewHtml({ title, conformance, loads, tool, intro, more = [] }: Overview): string {
  const results = [...(conformance ? [conformance.result] : []), ...loads.map(({ result }) => result)];
  const green = results.filter(({ exitCode }) => exitCode === 0).length;
  const tone: Tone =
    green === results.length ? "good" : results.some(({ exitCode }) => exitCode === 1) ? "bad" : "unsure";
  const body = html`${verdictCard({
    tone,
    word: `${green} of ${results.length} passed`,
    title,
    lines: [html`<span class="dim">${[...new Set(results.map(({ target }) => target))].join(", ")}</span>`],
    reasons: [],
  })}
${intro}${conformance ? html`<h2>Conformance</h2>${conformanceCard(conformance)}` : ""}
${loads.length === 0 ? "" : html`<h2>Load</h2><section class="card">${loadTable(loads)}</section>`}${more}`;
  const startedAt = results.map((result) => result.startedAt).sort()[0] ?? "";
  return page({ title: `${title} · Assay`, aside: `${tool} · ${formatInstant(startedAt)}`, body });
}

function conformanceCard({ result, href }: NonNullable<Overview["conformance"]>): Html {
  const { word, tone } = conformanceVerdict(result);
  return html`<section class="card clause ${tone}"><p>${tag(word, tone)} <a href="${href}">${conformanceLine(result)}</a></p>
<p class="dim">${result.headline}; ${plural(result.summary.recommended.failed, "warning")}, ${result.summary.observed} observed</p></section>`;
}

function loadTable(loads: Overview["loads"]): Html {
  const rows = loads.map(({ result, href, name }) => {
    const [title, about] =
      name === undefined ? [result.scenario, result.shape] : [name, `seed ${result.seed ?? "unknown"}`];
    const { word, tone } = runVerdict(result);
    const { metrics, counts } = result;
    const scalar = (key: string, unit: string) => {
      const value = metrics[key]?.value;
      return value === undefined ? NOT_MEASURED : formatValue(value, unit);
    };
    return [
      html`<a href="${href}">${title}</a><br><span class="small">${about}</span>`,
      html`${tag(word, tone)}<br><span class="small">${result.conclusion}</span>`,
      headlineLatency(result),
      scalar("requests_per_s", "1/s"),
      html`${scalar("error_rate", "share")}<br><span class="small">of ${formatNumber(metrics["error_rate"]?.count ?? counts.offered)}</span>`,
    ];
  });
  return htmlTable(
    [
      loads.some(({ name }) => name !== undefined) ? "run" : "scenario",
      "verdict",
      "latency",
      "requests/s",
      "error rate",
    ],
    rows,
  );
}
