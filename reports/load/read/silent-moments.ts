/**
 * When streams were silent for long: the ends of gaps between chunks that are much longer than the others, in slices of time. What is
 * kept is bounded by the length of the run.
 */

import type { RequestRecord } from "../../../formats/records.ts";

/** Gaps that end within the same slice are one moment. */
const SLICE_MS = 50;
/** Longer runs are not looked at to their end. */
const MOST_SLICES = 200_000;
/** A gap of so many times the mean of all is a long one. */
const LONG = 5;

/** A moment at which streams went on after they were silent. */
export interface SilentMoment {
  /** Milliseconds since 1970, to within a slice. */
  readonly endedAt: number;
  /** The longest of the silences that ended then. */
  readonly ms: number;
  /** How many streams went on. */
  readonly streams: number;
}

export class SilentMoments {
  readonly #slices = new Map<number, { us: number; streams: number }>();
  #sum = 0;
  #count = 0;

  /** Adds a request of the measured phase that was ok. @param sent in milliseconds since 1970 */
  add({ gaps_us: gaps, ttft, outcome, phase, flags }: RequestRecord, sent: number): void {
    if (gaps === undefined || ttft === undefined || outcome !== "ok" || phase !== "measure") return;
    if (flags?.includes("buffered")) return;
    // The mean is not known yet, so that a few too many are kept.
    const long = (LONG / 2) * this.meanUs;
    let us = (sent + ttft) * 1_000;
    for (const gap of gaps) {
      us += gap;
      this.#sum += gap;
      if (gap > long) this.#keep(Math.floor(us / 1_000 / SLICE_MS), gap);
    }
    this.#count += gaps.length;
  }

  /** The mean of all gaps; 0 while there are none. */
  get meanUs(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  #keep(slice: number, us: number): void {
    const known = this.#slices.get(slice);
    if (known !== undefined) {
      known.us = Math.max(known.us, us);
      known.streams += 1;
    } else if (this.#slices.size < MOST_SLICES) this.#slices.set(slice, { us, streams: 1 });
  }

  /** The moments after silences of at least `times` times the mean gap, in order; neighbours are one. */
  longer(times = LONG): SilentMoment[] {
    const moments: SilentMoment[] = [];
    let lastSlice = Number.NEGATIVE_INFINITY;
    for (const [slice, { us, streams }] of [...this.#slices].sort(([a], [b]) => a - b)) {
      if (us < times * this.meanUs) continue;
      const before = moments.at(-1);
      const moment = { endedAt: slice * SLICE_MS, ms: us / 1_000, streams };
      if (before !== undefined && slice - lastSlice <= NEIGHBOURS) {
        moments[moments.length - 1] = {
          endedAt: before.endedAt,
          ms: Math.max(before.ms, moment.ms),
          streams: before.streams + streams,
        };
      } else moments.push(moment);
      lastSlice = slice;
    }
    return moments;
  }
}

/** Streams that went on within so many slices of each other waited for the same thing. */
const NEIGHBOURS = 4;
