/** The table of metrics in docs/metrics.md, between its markers, made from `scenarios/metrics.ts`. Pure. */

import { table } from "../../reports/markdown-syntax.ts";
import { METRIC_NAMES, metric } from "../../scenarios/metrics.ts";

const [BEGIN, END] = ["<!-- metrics -->", "<!-- /metrics -->"];

/** The page with its table made anew. */
export function withMetricsTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`Cannot place the table of metrics: the page lacks ${BEGIN} or ${END}.`);
  const rows = METRIC_NAMES.map((name) => {
    const { title, unit, definition } = metric(name);
    return [`\`${name}\``, title, unit, definition];
  });
  const metrics = table(["metric", "title", "unit", "definition"], rows);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${metrics}\n\n${page.slice(end)}`;
}
