/** A line of `client.jsonl`, the client's own health once a second, and what a run's lines say together. */

import { z } from "zod";
import type { ClientHealth } from "../../../formats/run.ts";
import { quantile } from "../stats/quantiles.ts";

const number = z.number().optional();
const perPhase = z.object({ warmup: z.number().default(0), measure: z.number().default(0) });

/** Requests and arrivals count from the start of the run; `cpu` (in cores) and the collector since the line before. */
export const clientLine = z.object({
  /** Seconds since the `startedAt` of the records. */
  t: z.number(),
  cpu: number,
  cpus: number,
  rss_mb: number,
  heap_mb: number,
  /** Up to which the collector is held back; absent when it is not, or no longer. */
  memory_limit_mb: number,
  gc_cycles: number,
  gc_pause_ms: number,
  gc_cpu_ms: number,
  /** How long the threads of the client waited for a CPU, all together. */
  run_delay_ms: number,
  /** How often a limit on the CPU of its control group kept it waiting. */
  throttled: number,
  wake_p99_ms: number,
  /** How late each wake-up of a probe was that sleeps and wakes as a reader of a socket does; ascending. */
  wakes_us: z.array(z.number()).optional(),
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
  /** When the first arrival could be due. */
  schedule_started_at: z.string().optional(),
  final: z.boolean().optional(),
  /** On the final line: how many records were written, and what prevented more. */
  records: number,
  error: z.string().optional(),
  /** On the final line: what ended the run before its time. */
  stopped: z.string().optional(),
});
export type ClientLine = z.infer<typeof clientLine>;

/** Lines of the seconds in which measured arrivals were due; all when there are none. */
export function measuredLines(lines: readonly ClientLine[]): readonly ClientLine[] {
  const rises = lines.map((line, index) => line.offered.measure > (lines[index - 1]?.offered.measure ?? 0));
  const first = rises.indexOf(true);
  return first < 0 ? lines : lines.slice(first, rises.lastIndexOf(true) + 1);
}

/** How late the client woke in its measured seconds, in microseconds, ascending. */
export const wakesOf = (lines: readonly ClientLine[]): Float64Array =>
  Float64Array.from(measuredLines(lines).flatMap(({ wakes_us = [] }) => wakes_us)).sort();

/** Whether the memory limit of a client proved too small, so that it gave it up in mid-run. */
export const dropped = (lines: readonly ClientLine[]): boolean =>
  lines[0]?.memory_limit_mb !== undefined && lines.at(-1)?.memory_limit_mb === undefined;

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

/** Health of one client over its measured seconds. */
export function healthOf(all: readonly ClientLine[]): ClientHealth {
  const lines = measuredLines(all);
  const last = lines.at(-1);
  const wakesUs = wakesOf(all);
  const wakeMs = (perMille: number) => (wakesUs.length === 0 ? undefined : quantile(wakesUs, perMille) / 1_000);
  return known({
    cpu: mean(lines.map(({ cpu }) => cpu)),
    cpuMax: most(lines.map(({ cpu }) => cpu)),
    cpus: last?.cpus,
    rssMaxMb: most(lines.map(({ rss_mb }) => rss_mb)),
    memoryLimitMb: most(all.map(({ memory_limit_mb }) => memory_limit_mb)),
    memoryLimitDropped: dropped(all) ? 1 : undefined,
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
  });
}

/** How figures of several clients become one: machines add up, lateness is that of the latest. */
const JOIN: Readonly<Record<string, (a: number, b: number) => number>> = {
  cpuMax: Math.max,
  lagP99Ms: Math.max,
  wakeP50Ms: Math.max,
  wakeP99Ms: Math.max,
  wakeMaxMs: Math.max,
};

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
