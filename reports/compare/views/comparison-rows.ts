/** The rows of a comparison, as texts that every view shows. */

import type { ComparedMetric, CompareResult, RunOfSide } from "../../../formats/compare.ts";
import { formatInstant, formatNumber, formatValue, plural } from "../../numbers.ts";
import type { Tone, VerdictWord } from "../../verdict-words.ts";
import { formatChange, formatInterval } from "../change-text.ts";

/** The verdict of a comparison in a word. */
export function comparisonVerdict({ exitCode }: Pick<CompareResult, "exitCode">): VerdictWord {
  if (exitCode === 0) return { word: "NO REGRESSION", tone: "good" };
  return exitCode === 1 ? { word: "REGRESSION", tone: "bad" } : { word: "INCONCLUSIVE", tone: "unsure" };
}

export const COMPARISON_COLUMNS = ["base", "new", "change", "interval", "detectable", "allowed", "verdict"] as const;

export interface ComparisonRow {
  readonly name: string;
  /** One per column. */
  readonly cells: readonly string[];
  readonly verdict: string;
  readonly tone: Tone;
  readonly note: string | undefined;
}

const NONE = "-";

export function comparisonRow(metric: ComparedMetric): ComparisonRow {
  const { base, new: next, change, scale, unit, detectable, limit } = metric;
  const { word, tone } = verdictWord(metric);
  const value = (amount: number | null) => (amount === null ? NONE : formatValue(amount, unit));
  return {
    name: metric.name,
    cells: [
      value(base),
      value(next),
      change === null ? NONE : formatChange(change, scale),
      formatInterval(metric),
      detectable === null ? NONE : detectableText(detectable, scale),
      formatChange(limit, scale, false),
      word,
    ],
    verdict: word,
    tone,
    note: metric.note,
  };
}

/** A change of more than this is not told apart from a larger one: data that shows no smaller ones shows nothing. */
const LARGEST_DETECTABLE = 10;

const detectableText = (change: number, scale: ComparedMetric["scale"]): string =>
  change > LARGEST_DETECTABLE
    ? `>${formatChange(LARGEST_DETECTABLE, scale, false)}`
    : formatChange(change, scale, false);

/** The verdict of a metric, and how it counts: what is worse but allowed is no failure. */
export function verdictWord({ verdict, decision }: Pick<ComparedMetric, "verdict" | "decision">): {
  readonly word: string;
  readonly tone: Tone;
} {
  const tone: Tone = decision === "regression" ? "bad" : decision === "undecided" ? "unsure" : "good";
  if (verdict === "too-noisy") return { word: "too noisy to say", tone: decision === "allowed" ? "none" : tone };
  if (verdict !== "worse") return { word: verdict, tone };
  if (decision === "regression") return { word: "worse", tone };
  return { word: decision === "allowed" ? "worse, allowed" : "worse, undecided", tone };
}

/** What the intervals are, in a sentence. */
export const INTERVALS =
  "Interval: where the change from base to new lies, with a confidence of 95%; that of a change that is shown (better, worse) is corrected for the number of metrics, so that two runs of the same system show any change in 5 of 100 comparisons. Detectable: the smallest worsening that this amount of data shows";

/** The runs of both sides, as names and texts. */
export function comparisonFacts(result: CompareResult): [string, string][] {
  return [
    ["scenario", result.scenario],
    ["load", result.shape],
    ["base", sideText(result.runs.base)],
    ["new", sideText(result.runs.new)],
  ];
}

function sideText(runs: readonly RunOfSide[]): string {
  const targets = [...new Set(runs.map(({ target }) => target))].join(", ");
  const units = runs.reduce((sum, run) => sum + run.units, 0);
  const [first] = runs.map(({ startedAt }) => startedAt).sort();
  return `${targets}, ${plural(runs.length, "run")}, ${formatNumber(units)} units of work, ${formatInstant(first ?? "")}`;
}

/** With several runs on a side: the values of each, per metric. */
export function runRows({ metrics }: CompareResult): [name: string, base: string, next: string][] {
  return metrics.flatMap(({ name, unit, runs }): [string, string, string][] => {
    if (runs === undefined) return [];
    const text = (values: readonly (number | null)[]) =>
      values.map((value) => (value === null ? NONE : formatValue(value, unit))).join("  ");
    return [[name, text(runs.base), text(runs.new)]];
  });
}
