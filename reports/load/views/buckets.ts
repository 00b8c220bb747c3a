/** A long run has more seconds than a chart has room for: neighbouring seconds are joined, and no extreme is lost. */

import type { RunWindow } from "../../../formats/run.ts";

/** Most points that a chart is given. */
const MOST_POINTS = 240;

type Spread = { readonly n: number; readonly min: number; readonly mean: number; readonly max: number };

/** Some seconds of a run together. */
export interface Bucket {
  readonly t: number;
  readonly seconds: number;
  /** Where a chart draws it, in seconds of the run. */
  readonly middle: number;
  readonly due: number;
  readonly sent: number;
  readonly ok: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly ttft: Spread | undefined;
  readonly e2e: Spread | undefined;
  readonly ttft_scheduled: Spread | undefined;
  readonly e2e_scheduled: Spread | undefined;
  readonly cpu: number | undefined;
  readonly open: number | undefined;
  /** Video tasks that were open at once, on average, and polls of theirs that were sent; undefined without such tasks. */
  readonly tasks: number | undefined;
  readonly polls: number | undefined;
}

/** Joins windows into at most as many buckets as a chart takes. */
export function buckets(windows: readonly RunWindow[]): Bucket[] {
  const seconds = Math.max(1, Math.ceil(windows.length / MOST_POINTS));
  return Array.from({ length: Math.ceil(windows.length / seconds) }, (_, index) =>
    join(windows.slice(index * seconds, (index + 1) * seconds)),
  );
}

function join(windows: readonly RunWindow[]): Bucket {
  const t = windows[0]?.t ?? 0;
  const sum = (read: (window: RunWindow) => number) => windows.reduce((total, window) => total + read(window), 0);
  const outcomes: Record<string, number> = {};
  for (const { outcomes: counts } of windows) {
    for (const [name, count] of Object.entries(counts)) outcomes[name] = (outcomes[name] ?? 0) + count;
  }
  return {
    t,
    seconds: windows.length,
    middle: t + windows.length / 2,
    due: sum(({ due }) => due),
    sent: sum(({ sent }) => sent),
    ok: sum(({ ok }) => ok),
    outcomes,
    ttft: spread(windows.map(({ ttft }) => ttft)),
    e2e: spread(windows.map(({ e2e }) => e2e)),
    ttft_scheduled: spread(windows.map(({ ttft_scheduled }) => ttft_scheduled)),
    e2e_scheduled: spread(windows.map(({ e2e_scheduled }) => e2e_scheduled)),
    cpu: largest(windows.map(({ cpu }) => cpu)),
    open: largest(windows.map(({ open }) => open)),
    ...(windows.some(({ tasks }) => tasks !== undefined)
      ? { tasks: sum(({ tasks = 0 }) => tasks) / windows.length, polls: sum(({ polls = 0 }) => polls) }
      : { tasks: undefined, polls: undefined }),
  };
}

function spread(parts: readonly (Spread | undefined)[]): Spread | undefined {
  const known = parts.filter((part) => part !== undefined);
  const n = known.reduce((sum, part) => sum + part.n, 0);
  if (n === 0) return undefined;
  const mean = known.reduce((sum, part) => sum + part.mean * part.n, 0) / n;
  return { n, mean, min: Math.min(...known.map(({ min }) => min)), max: Math.max(...known.map(({ max }) => max)) };
}

const largest = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};
