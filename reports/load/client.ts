/** A line of `client.jsonl`, the client's own health once a second, and what a run's lines say together. */

import { z } from "zod";
import type { ClientHealth } from "./result.ts";

const number = z.number().optional();
const perPhase = z.object({ warmup: z.number().default(0), measure: z.number().default(0) });

/** Counters count from the start of the run. `cpu` is in cores that were used since the line before. */
export const clientLine = z.object({
  /** Seconds since the run's first arrival could be due. */
  t: z.number(),
  cpu: number,
  cpus: number,
  rss_mb: number,
  heap_mb: number,
  gc_cycles: number,
  gc_pause_ms: number,
  open: number,
  in_flight_limit: number,
  lag_p99_ms: number,
  offered: perPhase,
  started: perPhase,
  completed: number,
  ok: number,
  outcomes: z.record(z.string(), z.number()).optional(),
  connections_opened: number,
  ttft_p50_ms: number,
  e2e_p50_ms: number,
  final: z.boolean().optional(),
});
export type ClientLine = z.infer<typeof clientLine>;

/** Lines of the seconds in which measured arrivals were due, and the line before them; all when there are none. */
export function measuredLines(lines: readonly ClientLine[]): { before: ClientLine | undefined; lines: ClientLine[] } {
  const rises = lines.map((line, index) => line.offered.measure > (lines[index - 1]?.offered.measure ?? 0));
  const first = rises.indexOf(true);
  if (first < 0) return { before: undefined, lines: [...lines] };
  return { before: lines[first - 1], lines: lines.slice(first, rises.lastIndexOf(true) + 1) };
}

const present = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined);
const most = (values: readonly (number | undefined)[]): number | undefined =>
  present(values).reduce<number | undefined>((max, value) => Math.max(max ?? value, value), undefined);
const mean = (values: readonly (number | undefined)[]): number | undefined => {
  const known = present(values);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
};
const rise = (from: number | undefined, to: number | undefined): number | undefined =>
  to === undefined ? undefined : to - (from ?? 0);

/** Health of one client over its measured seconds. */
export function healthOf(all: readonly ClientLine[]): ClientHealth {
  const { before, lines } = measuredLines(all);
  const last = lines.at(-1);
  return known({
    cpu: mean(lines.map(({ cpu }) => cpu)),
    cpuMax: most(lines.map(({ cpu }) => cpu)),
    cpus: last?.cpus,
    rssMaxMb: most(lines.map(({ rss_mb }) => rss_mb)),
    gcCycles: rise(before?.gc_cycles, last?.gc_cycles),
    gcPauseMs: rise(before?.gc_pause_ms, last?.gc_pause_ms),
    openMax: most(lines.map(({ open }) => open)),
    inFlightLimit: last?.in_flight_limit,
    connections: all.at(-1)?.connections_opened,
  });
}

/** How figures of several clients become one: machines add up, the worst second is the worst of any. */
const JOIN: Readonly<Record<string, (a: number, b: number) => number>> = { cpuMax: Math.max, lagP99Ms: Math.max };

/** Health of several clients that ran at the same time. */
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

/** Leaves out the members that are undefined. */
export function known<T extends object>(members: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
