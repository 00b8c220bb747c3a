/** Which requests exceed a bound, and by what they differ from the others, in a sentence. Pure. */

import { metric } from "../../../load/objectives/metrics.ts";
import { holds, type Slo } from "../../../load/objectives/slo.ts";
import { formatFigure, formatNumber, formatValue } from "../../numbers.ts";
import { type Candidate, type Group, groupsOf, isIn, type Told, told } from "../stats/best-split.ts";

/** What may explain the value of a request. In order: of two that explain about as much, the first is named. */
export interface Cause extends Candidate {
  /** `input token`, `model`; of an instant, seconds from the start of the run. */
  readonly name: string;
  /** Of names, by their numbers. */
  readonly names?: readonly string[];
}

/** The values of a metric, request by request, and what may explain them. */
export interface ExplainedValues {
  readonly values: Float64Array;
  readonly causes: readonly Cause[];
}

/** Fewer that exceed, or that do not, are told apart by chance. */
const LEAST = 10;

/**
 * `ttft grows by 0.36 ms per input token: of 21 requests with more than 1,300 input tokens 20 exceed 500 ms, of 125 others none`; that
 * nothing explains it; undefined where too few requests exceed the bound.
 */
export function explainRequests(slo: Slo, { values, causes }: ExplainedValues): string | undefined {
  const bad = Uint8Array.from(values, (value) => (holds(value, slo) ? 0 : 1));
  const count = bad.reduce((sum, each) => sum + each, 0);
  const useful = causes.filter(({ of }) => new Set(of.filter((value) => !Number.isNaN(value))).size > 1);
  if (count < LEAST || values.length - count < LEAST || useful.length === 0) return undefined;
  const groups = groupsOf(bad, useful);
  if (groups.length === 0) return `explained by none of ${useful.map(({ name }) => name).join(", ")}`;
  return groups
    .map((group, index) => {
      const before = groups.slice(0, index);
      const rows = [...bad.keys()].filter((row) => !before.some((other) => isIn(other, useful, row)));
      const said = inWords(slo, useful, group, told(bad, useful, [group], rows));
      return index === 0 ? `${growth(slo, values, useful[group.candidate])}${said}` : `of the others, ${said}`;
    })
    .join("; ");
}

/** `ttft grows by 0.36 ms per input token: `; empty of what is no amount. */
function growth(slo: Slo, values: Float64Array, cause: Cause | undefined): string {
  if (cause?.kind !== "number") return "";
  const slope = slopeOf(cause.of, values);
  if (!Number.isFinite(slope) || slope === 0) return "";
  const verb = slope > 0 ? "grows" : "falls";
  const { unit } = metric(slo.metric);
  return `${slo.metric} ${verb} by ${formatFigure(Math.abs(slope))} ${unit} per ${cause.name}: `;
}

function slopeOf(of: Float64Array, values: Float64Array): number {
  const rows = [...of.keys()].filter((row) => !Number.isNaN(of[row] ?? Number.NaN));
  const mean = (list: Float64Array): number => rows.reduce((sum, row) => sum + (list[row] ?? 0), 0) / rows.length;
  const [x, y] = [mean(of), mean(values)];
  let [products, squares] = [0, 0];
  for (const row of rows) {
    const from = (of[row] ?? 0) - x;
    products += from * ((values[row] ?? 0) - y);
    squares += from * from;
  }
  return products / squares;
}

/** `of 21 requests with more than 1,300 input tokens 20 exceed 500 ms, of 125 others none`. */
function inWords(slo: Slo, causes: readonly Cause[], group: Group, { inside, outside }: Told): string {
  const bound = formatValue(slo.bound, slo.unit);
  const verb = slo.comparison.startsWith("<") ? "exceed" : "are below";
  const some = (bad: number): string => (bad === 0 ? "none" : formatNumber(bad));
  return `of ${formatNumber(inside.all)} requests ${groupText(causes[group.candidate], group)} ${some(inside.bad)} ${verb} ${bound}, of ${formatNumber(outside.all)} others ${some(outside.bad)}`;
}

function groupText(cause: Cause | undefined, { low, high, names }: Group): string {
  const { kind = "name", name = "", of = new Float64Array(), names: known = [] } = cause ?? {};
  if (kind === "name") return `with ${name} ${[...(names ?? [])].map((each) => known[each] ?? each).join(", ")}`;
  const [least, most] = [of.reduce((a, b) => Math.min(a, b)), of.reduce((a, b) => Math.max(a, b))];
  if (kind === "instant")
    return `from ${formatNumber(Math.floor(Math.max(low, least)))} to ${formatNumber(Math.ceil(Math.min(high, most)))} s`;
  return high === Number.POSITIVE_INFINITY
    ? `with ${formatNumber(low)} ${name}s or more`
    : `with ${formatNumber(high)} ${name}s or fewer`;
}
