/** How much worse each metric became, drawn in its row of the table: all rows have one scale. */

import type { ComparedMetric } from "../../../formats/compare.ts";
import { type Html, html } from "../../page/html-template.ts";
import { percent } from "../../page/plot.ts";

/** The look of the bars. */
export const INTERVAL_STYLE = `
.worse { display: block; position: relative; min-width: 130px; height: 18px; }
.worse > * { position: absolute; }
.worse .zero { inset: 0 auto; border-left: 1px solid var(--dim); }
.worse .ends { top: 7px; height: 4px; min-width: 2px; border-radius: 2px; background: var(--tone); }
.worse .value { top: 5px; width: 8px; height: 8px; margin-left: -4px; border-radius: 50%; background: var(--tone); }
.worse .allowed { top: 1px; width: 2px; height: 16px; margin-left: -1px; background: var(--ink); }
.worse .on { top: 4px; border: 5px solid transparent; }
.worse .on.left { left: -6px; border-right-color: var(--tone); }
.worse .on.right { right: -6px; border-left-color: var(--tone); }
@media print { .worse { min-width: 60px; } }
`;

/** What the bars show, in a sentence. */
export const INTERVAL_BARS =
  "Bar: the interval of how much worse, in percent or points, on one scale for all metrics; right of the thin line is worse. Short line across: what is allowed. Arrow: the interval goes on";

/** How much worse a metric became, in percent or points: an end that the data does not bound is infinite. */
interface Worse {
  readonly ends: readonly [number, number];
  /** null: not measurable. */
  readonly change: number | null;
  readonly limit: number;
}

/** undefined where no end is known. */
function worseOf({ better, interval, change, limit }: ComparedMetric): Worse | undefined {
  if (interval === null || interval.every((end) => end === null)) return undefined;
  const [low, high] = [(interval[0] ?? -1) * 100, (interval[1] ?? Number.POSITIVE_INFINITY) * 100];
  const isLower = better === "lower";
  return {
    ends: isLower ? [low, high] : [-high, -low],
    change: change === null ? null : (isLower ? 1 : -1) * change * 100,
    limit: limit * 100,
  };
}

/** What is further from 0 than this, in percent, leaves the picture when other metrics are much nearer. */
const FAR = 100;

/** The span that all bars share: all ends that are known, but no further than twice the largest change. */
export function intervalSpan(metrics: readonly ComparedMetric[]): readonly [from: number, to: number] {
  const rows = metrics.flatMap((metric) => worseOf(metric) ?? []);
  const known = rows.flatMap(({ ends, limit }) => [...ends, limit, 0]).filter(Number.isFinite);
  const nearest = rows.flatMap(({ ends, change }) => [
    Math.min(...ends.map(Math.abs)),
    ...(change === null ? [] : [Math.abs(change)]),
  ]);
  const reach = Math.max(FAR, 2 * Math.max(0, ...nearest, ...rows.map(({ limit }) => limit)));
  const [from, to] = [Math.max(Math.min(0, ...known), -reach), Math.min(Math.max(0, ...known), reach)];
  const margin = (to - from) / 20 || 1;
  return [from - margin, to + margin];
}

/** The interval of a metric within a span; a dash if neither end is known. The table says the same in numbers. */
export function intervalBar(metric: ComparedMetric, [from, to]: readonly [number, number]): Html {
  const worse = worseOf(metric);
  if (worse === undefined) return html`-`;
  const { ends, change, limit } = worse;
  const place = (value: number): number => Math.min(1, Math.max(0, (value - from) / (to - from)));
  const [left, right] = [place(ends[0]), place(ends[1])];
  return html`<span class="worse" aria-hidden="true"><i class="zero" style="left:${percent(place(0))}"></i><i class="ends" style="left:${percent(left)};width:${percent(right - left)}"></i>${
    change === null ? "" : html`<i class="value" style="left:${percent(place(change))}"></i>`
  }<i class="allowed" style="left:${percent(place(limit))}"></i>${ends[0] < from ? html`<i class="on left"></i>` : ""}${
    ends[1] > to ? html`<i class="on right"></i>` : ""
  }</span>`;
}
