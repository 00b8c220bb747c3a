/** What was measured in each window of a run, of the metric of one objective. */

import { inOrderOf } from "../stats/order.ts";
import type { PageStore } from "../stats/page-store.ts";
import { beyondBound } from "./beyond-bound.ts";
import type { MeasuredWindow, MeasuredWindows, WindowedSlo } from "./evaluate-windows.ts";
import { knownLatencies, latencyOf, latencyWithUnfinished } from "./request-metrics.ts";
import {
  countUnits,
  type Gathered,
  type OwnFaults,
  possiblyOurs,
  rowsOf,
  type Selection,
  totals,
  waitsOf,
} from "./unit-counts.ts";

interface Source extends Gathered {
  readonly store: PageStore;
  readonly faults: OwnFaults;
}

interface Windows {
  readonly from: number;
  readonly windowMs: number;
  readonly count: number;
  readonly store: PageStore;
}

/** Calls `take` with the rows of each window in which they were due, those of one window at a time. */
function eachWindow(
  scheduledOf: (row: number) => number,
  length: number,
  { from, windowMs, count, store }: Windows,
  take: (window: number, rows: readonly number[]) => void,
): void {
  let [window, rows]: [number, number[]] = [0, []];
  const closeUntil = (next: number): void => {
    for (; window < Math.min(next, count); window += 1) {
      take(window, rows);
      rows = [];
    }
  };
  const add = (row: number): void => {
    // An arrival at the begin of the measured time may be recorded some microseconds before it.
    const own = Math.max(0, Math.floor((scheduledOf(row) - from) / windowMs));
    closeUntil(own);
    if (own === window) rows.push(row);
  };
  inOrderOf(scheduledOf, length, add, store);
  closeUntil(count);
}

/** Measures the whole windows of the measured time; what was due in the rest at its end is in none. */
export function measureWindows(source: Source, selection: Selection, slo: WindowedSlo): MeasuredWindows {
  const { requests, units, span, bounds, store, faults } = source;
  const { windowMs } = slo.within;
  // A second that is a millisecond short is one.
  const windows = { from: span.from, windowMs, count: Math.floor((span.to - span.from + 1) / windowMs), store };
  const measured: Omit<MeasuredWindow, "metrics" | "withUnfinished">[] = [];
  const ofUnits: MeasuredWindow["metrics"][] = [];
  const waits: ReturnType<typeof waitsOf>[] = [];
  eachWindow(
    (row) => units.unit(row).scheduled,
    units.length,
    windows,
    (window, unitRows) => {
      const chosen = { ...selection, unitRows };
      const from = span.from + window * windowMs;
      const own = { ...span, from, to: from + windowMs, seconds: windowMs / 1_000 };
      const counts = countUnits(units, chosen);
      const ours = possiblyOurs(units, chosen, faults, 0);
      measured.push({ fromS: (from - span.origin) / 1_000, counts, possiblyOurs: ours });
      waits.push(waitsOf({ units, span, store }, chosen));
      const effect = { possiblyOurs: ours, lateShare: 0 };
      ofUnits.push(
        slo.statistic === undefined ? totals({ requests, units, span: own, bounds }, counts, chosen, effect) : {},
      );
    },
  );
  const offered = countUnits(units, selection).offered;
  if (slo.statistic === undefined) {
    return {
      offered,
      windows: measured.map((each, index) => ({ ...each, metrics: ofUnits[index] ?? {}, withUnfinished: {} })),
    };
  }
  const { metric: name } = slo;
  const complete: MeasuredWindow[] = [];
  eachWindow(
    (row) => requests.at("scheduled", row),
    requests.length,
    windows,
    (window, numbers) => {
      const [each, waited] = [measured[window], waits[window]];
      if (each === undefined || waited === undefined) return;
      const rows = { ...rowsOf(selection), numbers };
      const latency = latencyOf(requests, name, waited, rows);
      const unfinished = latencyWithUnfinished(requests, name, waited, rows);
      complete.push({
        ...each,
        metrics: latency === undefined ? {} : { [name]: latency },
        withUnfinished: unfinished === undefined ? {} : { [name]: unfinished },
        beyond: beyondBound(slo, knownLatencies(requests, name, waited, rows), requests.independent(name, rows)),
      });
    },
  );
  return { offered, windows: complete };
}
