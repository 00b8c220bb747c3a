/** Files of a made-up load run as `--records summary` would have written them. */

import { type CountedGaps, type RequestRecord, requestRecord } from "../../../formats/records.ts";
import { longestAllowedUs } from "../../../load/objectives/bound.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { parseSlo } from "../../../load/objectives/slo.ts";

export const ERROR = 0.0005;

/** A record without its gaps; `slos` are those of the run. */
export function summarized({ gaps_us, ...record }: RequestRecord, slos: readonly string[] = []): RequestRecord {
  if (gaps_us === undefined) return record;
  const bounds = slos
    .map(parseSlo)
    .flatMap(({ metric, each, comparison, bound }) =>
      metric === "icl" && each && (comparison === "<" || comparison === "<=")
        ? [longestAllowedUs(comparison, bound)]
        : [],
    );
  const over = [STALL_MS * 1_000, ...bounds].map((us) => [us, gaps_us.filter((gap) => gap > us).length] as const);
  const us = gaps_us.reduce((sum, gap) => sum + gap, 0);
  return { ...record, ttlt: (record.ttft ?? 0) + us / 1_000, gaps_over_us: Object.fromEntries(over) };
}

/** The line of gaps of these records' measured ok requests, each rounded by about half of what the error allows. */
export function gapsLineOf(records: readonly RequestRecord[]): { gaps: CountedGaps } {
  const counts = new Map<number, number>();
  for (const { outcome, phase, flags, gaps_us = [] } of records) {
    if (outcome !== "ok" || phase !== "measure" || flags?.includes("buffered")) continue;
    for (const gap of gaps_us) {
      const rounded = Math.round(gap * (1 + ERROR / 2));
      counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
    }
  }
  const pairs = [...counts].sort(([a], [b]) => a - b);
  const [us, n] = [pairs.map(([value]) => value), pairs.map(([, times]) => times)];
  return { gaps: { op: "chat.stream", phase: "measure", error: ERROR, us, n } };
}

/** Turns the lines of `records.jsonl`. */
export function summarizedLines([header = "", ...lines]: readonly string[], slos: readonly string[] = []): string[] {
  const records = lines.map((line) => requestRecord.parse(JSON.parse(line)));
  const turned = records.map((record) => summarized(record, slos));
  const half = Math.floor(records.length / 2);
  // In two increments, one of them in the middle.
  const all = [
    ...turned.slice(0, half),
    gapsLineOf(records.slice(0, half)),
    ...turned.slice(half),
    gapsLineOf(records.slice(half)),
  ];
  return [header, ...all.map((line) => JSON.stringify(line))];
}
