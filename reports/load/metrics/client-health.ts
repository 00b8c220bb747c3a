/** The health of the load generator over a run, from the lines of `client.jsonl`. */

import type { ClientLine } from "../../../formats/client.ts";
import type { ClientHealth } from "../../../formats/run.ts";
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import { quantile } from "../stats/quantiles.ts";

/** The percentile of the wake-up latency that decides, in thousandths; see `LIMITS.wakeMs`. */
export const WAKE_PER_MILLE = 900;

/** Lines of the seconds in which measured arrivals were due; all when there are none. */
export function measuredLines(lines: readonly ClientLine[]): readonly ClientLine[] {
  const rises = lines.map((line, index) => line.offered.measure > (lines[index - 1]?.offered.measure ?? 0));
  const first = rises.indexOf(true);
  return first < 0 ? lines : lines.slice(first, rises.lastIndexOf(true) + 1);
}

/**
 * Lines of the seconds in which a measured request may have been open: those of `measuredLines`, and of the drain those up to
 * the end of its last request.
 */
export function openLines(lines: readonly ClientLine[]): readonly ClientLine[] {
  const due = measuredLines(lines);
  const first = due[0] === undefined ? 0 : lines.indexOf(due[0]);
  const last = lines.findLastIndex(
    ({ open = 0, completed = 0 }, index) => open > 0 || completed > (lines[index - 1]?.completed ?? 0),
  );
  return lines.slice(first, Math.max(first + due.length, last + 1));
}

/** The wake-up latencies of the seconds in which a measured request may have been open, in microseconds, ascending. */
export const wakesOf = (lines: readonly ClientLine[]): Float64Array =>
  Float64Array.from(openLines(lines).flatMap(({ wakes_us = [] }) => wakes_us)).sort();

/** The memory limit that proved too small, so that it was dropped during the run, in megabytes; undefined when it held. */
export const droppedMemoryLimit = (lines: readonly ClientLine[]): number | undefined =>
  lines.at(-1)?.memory_limit_mb === undefined ? lines[0]?.memory_limit_mb : undefined;

const present = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined);
const most = (values: readonly (number | undefined)[]): number | undefined =>
  present(values).reduce<number | undefined>((max, value) => Math.max(max ?? value, value), undefined);
const total = (values: readonly (number | undefined)[]): number | undefined => {
  const known = present(values);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
};
const mean = (values: readonly (number | undefined)[]): number | undefined => {
  const sum = total(values);
  return sum === undefined ? undefined : sum / present(values).length;
};

/** Health of one load generator over its measured seconds. */
export function healthOf(all: readonly ClientLine[]): ClientHealth {
  const lines = measuredLines(all);
  const last = lines.at(-1);
  const wakesUs = wakesOf(all);
  const wakeMs = (perMille: number) => (wakesUs.length === 0 ? undefined : quantile(wakesUs, perMille) / 1_000);
  return omitUndefined({
    cpu: mean(lines.map(({ cpu }) => cpu)),
    cpuMax: most(lines.map(({ cpu }) => cpu)),
    cpus: last?.cpus,
    rssMaxMb: most(lines.map(({ rss_mb }) => rss_mb)),
    memoryLimitMb: most(all.map(({ memory_limit_mb }) => memory_limit_mb)),
    memoryLimitDropped: droppedMemoryLimit(all) === undefined ? undefined : 1,
    gcCycles: total(lines.map(({ gc_cycles }) => gc_cycles)),
    gcPauseMs: total(lines.map(({ gc_pause_ms }) => gc_pause_ms)),
    runDelayMs: total(lines.map(({ run_delay_ms }) => run_delay_ms)),
    throttled: total(lines.map(({ throttled }) => throttled)),
    wakeP50Ms: wakeMs(500),
    wakeP99Ms: wakeMs(990),
    wakeMaxMs: wakeMs(1_000),
    openMax: most(lines.map(({ open }) => open)),
    inFlightLimit: last?.in_flight_limit,
    connections: all.at(-1)?.connections_opened,
    packets: all.at(-1)?.packets,
    packetsOutOfOrder: all.at(-1)?.packets_out_of_order,
    packetsSentAgain: all.at(-1)?.packets_sent_again,
    roundTripMs: all.at(-1)?.round_trip_ms,
  });
}

/** How figures of several load generators become one: machines add up, latencies are the largest; of round trips the least counts. */
const JOIN: Readonly<Record<string, (a: number, b: number) => number>> = {
  cpuMax: Math.max,
  lagP99Ms: Math.max,
  wakeP50Ms: Math.max,
  wakeP99Ms: Math.max,
  wakeMaxMs: Math.max,
  roundTripMs: Math.min,
};

/** Health of several load generators that ran at the same time. */
export function joinHealth(clients: readonly ClientHealth[]): ClientHealth {
  const joined: Record<string, number> = {};
  for (const client of clients) {
    for (const [name, value] of Object.entries(client)) {
      const before = joined[name];
      if (value !== undefined) joined[name] = before === undefined ? value : (JOIN[name] ?? add)(before, value);
    }
  }
  return joined;
}

const add = (a: number, b: number): number => a + b;
