/**
 * How late one load generator could be, instant by instant, from the wake-ups of its probe: what reads a response is woken
 * as the probe is. Also when its process did not run at all. Pure.
 */

import type { ClientLine } from "../../../formats/client.ts";

/** A wake-up that is as late as this is an interruption: no scheduler and no collector of garbage takes so long. */
export const INTERRUPTION_MS = 100;

/** A time in which the process did not run: it was stopped, or got no CPU. Instants in milliseconds since 1970. */
export interface Interruption {
  /** It lies between these two. */
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** The interruptions of several load generators, for the question whether an instant lies in one. */
export class Interruptions {
  /** Disjoint, in order. */
  readonly #all: { readonly from: number; to: number }[] = [];

  constructor(all: Iterable<Pick<Interruption, "from" | "to">>) {
    for (const { from, to } of [...all].sort((a, b) => a.from - b.from)) {
      const last = this.#all.at(-1);
      if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
      else this.#all.push({ from, to });
    }
  }

  /** Disjoint, in order. */
  get all(): readonly Pick<Interruption, "from" | "to">[] {
    return this.#all;
  }

  get none(): boolean {
    return this.#all.length === 0;
  }

  /** Whether an instant lies in one of them, or in what may have been one. */
  has(instant: number): boolean {
    return this.overlaps(instant, instant);
  }

  /** Whether one of them lies between two instants, at least in part. */
  overlaps(from: number, to: number): boolean {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle]?.to ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return (this.#all[low]?.from ?? Number.POSITIVE_INFINITY) <= to;
  }
}

/** Of a load generator that ran all the time. */
export const NO_INTERRUPTIONS = new Interruptions([]);

/** Period of the probe, in milliseconds: an interruption can have begun as much before the first late wake-up. */
const PROBE_MS = 11;

/**
 * The interruptions of one load generator. A line says how late a wake-up since the line before was, and not when: an
 * interruption ended in the time of its line, and began as long before as it lasted.
 * @param startedAt instant from which the lines count
 */
export function interruptionsOf(lines: readonly ClientLine[], startedAt: number): Interruption[] {
  return lines.flatMap((line, index) => {
    const ms = latestWakeMs(line);
    if (ms < INTERRUPTION_MS) return [];
    const from = startedAt + (lines[index - 1]?.t ?? 0) * 1_000 - ms - PROBE_MS;
    return [{ from, to: startedAt + line.t * 1_000, ms }];
  });
}

/** How late the latest wake-up of a line was, in milliseconds; 0 where none was measured. */
export const latestWakeMs = ({ wakes_us = [], wake_max_ms, wake_p99_ms = 0 }: ClientLine): number =>
  wakes_us.length > 0 ? (wakes_us.at(-1) ?? 0) / 1_000 : (wake_max_ms ?? wake_p99_ms);
