/** What was measured in each window of a run, of the metric of one objective. */

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
  readonly faults: OwnFaults;
}

/** Measures the whole windows of the measured time; what was due in the rest at its end is in none. */
export async function measureWindows(source: Source, selection: Selection, slo: WindowedSlo): Promise<MeasuredWindows> {
  const { span } = source;
  const { windowMs } = slo.within;
  // A second that is a millisecond short is one.
  const count = Math.floor((span.to - span.from + 1) / windowMs);
  const windows: MeasuredWindow[] = [];
  for (let window = 0; window < count; window += 1) {
    windows.push(await measureWindow(source, selection, slo, window));
  }
  const { offered } = await countUnits(source, selection);
  return { offered, windows };
}

async function measureWindow(
  { faults, ...source }: Source,
  selection: Selection,
  slo: WindowedSlo,
  window: number,
): Promise<MeasuredWindow> {
  const { requests, units, span } = source;
  const { windowMs } = slo.within;
  const from = span.from + window * windowMs;
  const to = from + windowMs;
  // An arrival at the begin of the measured time may be recorded some microseconds before it.
  const due = { ...(window > 0 && { from }), to };
  const chosen = { ...selection, due };
  const counts = await countUnits(source, chosen);
  const ours = await possiblyOurs(units, chosen, faults, 0);
  const measured = { fromS: (from - span.origin) / 1_000, counts, possiblyOurs: ours };
  if (slo.statistic === undefined) {
    const own = { ...source, span: { ...span, from, to, seconds: windowMs / 1_000 } };
    const metrics = await totals(own, counts, chosen, { possiblyOurs: ours, lateShare: 0 });
    return { ...measured, metrics, withUnfinished: {} };
  }
  const { metric: name } = slo;
  const waits = waitsOf(source, chosen);
  const rows = { ...rowsOf(selection), due };
  const latency = await latencyOf(requests, name, waits, rows);
  const unfinished = await latencyWithUnfinished(requests, name, waits, rows);
  return {
    ...measured,
    metrics: latency === undefined ? {} : { [name]: latency },
    withUnfinished: unfinished === undefined ? {} : { [name]: unfinished },
    beyond: await beyondBound(slo, knownLatencies(requests, name, waits, rows), await requests.independent(name, rows)),
  };
}
