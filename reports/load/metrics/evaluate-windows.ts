/** Whether an objective holds in as many windows of a run as it asks for: `ttft_p95<800ms in every 1m`. Pure. */

import type { Counts, SloResult } from "../../../formats/run.ts";
import type { MetricResult } from "../../../formats/run-metrics.ts";
import { isUpper, type Slo, type SloWindows } from "../../../load/objectives/slo.ts";
import { formatDuration } from "../../../settings/units.ts";
import { formatNumber, formatShare, formatValue, plural } from "../../numbers.ts";
import type { Beyond, Context } from "./beyond-bound.ts";

export type WindowedSlo = Slo & { readonly within: SloWindows };

export const isWindowed = (slo: Slo): slo is WindowedSlo => slo.within !== undefined;

/** What was measured in a window. */
export interface MeasuredWindow {
  /** Seconds from the start of the run. */
  readonly fromS: number;
  readonly counts: Counts;
  /** Of the units that failed, those that an interruption of the load generator can have failed. */
  readonly possiblyOurs: number;
  readonly metrics: Readonly<Record<string, MetricResult>>;
  /** The same, with unfinished requests as samples of which only a lower bound is known. */
  readonly withUnfinished: Readonly<Record<string, MetricResult>>;
  /** Of an objective on a percentile: samples beyond its bound. */
  readonly beyond?: Beyond | undefined;
}

export interface MeasuredWindows {
  readonly windows: readonly MeasuredWindow[];
  /** Units of the measured time that the records tell of. */
  readonly offered: number;
}

export const NO_WINDOWS: MeasuredWindows = { windows: [], offered: 0 };

/**
 * Decides an objective window by window. Of many windows, some miss a percentile or a share by chance alone: a window misses it only
 * where that is less likely than one in twenty for all of them together, and is undecided where its own requests cannot tell.
 * @param offered units of the measured time, those of which no record tells among them
 * @param confidence of each of them
 */
export function evaluateInWindows(
  slo: WindowedSlo,
  { windows, offered: told }: MeasuredWindows,
  { offered, confidence }: Pick<Counts, "offered"> & Pick<Context, "confidence">,
  evaluate: Evaluate,
): SloResult {
  const { expr, within } = slo;
  const due = windows.filter(({ counts }) => counts.offered > 0);
  if (due.length === 0)
    return { expr, observed: null, ok: null, note: `no window of ${formatDuration(within.windowMs)} was measured` };
  const decided = due.map((window) => {
    const { counts, metrics, possiblyOurs, withUnfinished, beyond } = window;
    const context = { ...counts, possiblyOurs, confidence, tries: due.length, beyond: () => beyond };
    return { window, result: evaluate(slo, metrics, context, withUnfinished) };
  });
  const missed = decided.filter(({ result }) => result.ok === false);
  const open = decided.filter(({ result }) => result.ok === null);
  const met = due.length - missed.length - open.length;
  const enough = (count: number): boolean => count >= within.share * due.length;
  const ok = enough(met) ? offered === told || null : enough(met + open.length) ? null : false;
  return {
    expr,
    observed: met / due.length,
    ok,
    note: [
      `of windows of ${formatDuration(within.windowMs)} (${formatNumber(met)} of ${formatNumber(due.length)})`,
      ...worstOf(slo, missed),
      ...openInWords(open),
      ...(offered > told ? [`no record tells of ${plural(offered - told, "arrival")}`] : []),
    ].join("; "),
    ...(missed.length > 0 && {
      missedAt: missed.map(({ window }) => ({ fromS: window.fromS, toS: window.fromS + within.windowMs / 1_000 })),
    }),
  };
}

/** How one window is compared. */
type Evaluate = (
  slo: Slo,
  metrics: MeasuredWindow["metrics"],
  context: Context,
  withUnfinished: MeasuredWindow["withUnfinished"],
) => SloResult;

interface Decided {
  readonly window: MeasuredWindow;
  readonly result: SloResult;
}

/** `worst 912.0 ms at 120 s`, of those that missed it. */
function worstOf(slo: Slo, missed: readonly Decided[]): string[] {
  const valued = missed.flatMap(({ window, result: { observed } }) =>
    observed === null ? [] : [{ value: observed, fromS: window.fromS }],
  );
  const [worst] = valued.toSorted((a, b) => (isUpper(slo) ? b.value - a.value : a.value - b.value));
  if (worst === undefined) return [];
  const value = slo.unit === "share" ? formatShare(worst.value) : formatValue(worst.value, slo.unit);
  return [`worst ${value} from ${worst.fromS.toFixed(1)} s`];
}

/** `3 undecided (too few samples: 20 of 200)`. */
function openInWords(open: readonly Decided[]): string[] {
  const [first] = open;
  if (first === undefined) return [];
  const why = first.result.note === undefined ? "" : ` (${first.result.note})`;
  return [`${formatNumber(open.length)} undecided${why}`];
}
