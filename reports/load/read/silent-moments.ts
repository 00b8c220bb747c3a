/** When streams were silent for long: the ends of gaps between chunks that are much longer than the others, in slices of time. */

import type { Database } from "../../tables/database.ts";
import type { ShardGroup } from "./calls-sql.ts";
import { eachGap } from "./gaps.ts";
import { MEASURED, type Requests } from "./measured-requests.ts";

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

interface Slice {
  readonly slice: number;
  readonly ms: number;
  readonly streams: number;
}

/** The moments after silences of at least some times the mean gap, in order; neighbours are one. */
export type SilentMoments = (times: number) => readonly SilentMoment[];

/** Those of the measured requests that were ok. */
export async function silentMoments(
  database: Database,
  requests: Requests,
  groups: readonly ShardGroup[],
): Promise<SilentMoments> {
  const { pool } = await requests.gaps();
  const meanUs = pool.mean * 1_000;
  if (!(meanUs > 0)) return () => [];
  const long = (LONG / 2) * meanUs;
  if (pool.max * 1_000 <= long) return () => [];
  const slices = new Map<number, Slice>();
  for (const group of groups) {
    await eachGap(database, group, { where: `${MEASURED} AND list_max(gaps_us) > ${long}` }, () => ({ us, atUs }) => {
      if (us <= long) return;
      const slice = Math.trunc(atUs / (SLICE_MS * 1_000));
      const { ms, streams } = slices.get(slice) ?? { ms: 0, streams: 0 };
      slices.set(slice, { slice, ms: Math.max(ms, us / 1_000), streams: streams + 1 });
    });
  }
  const first = [...slices.values()].sort((one, other) => one.slice - other.slice).slice(0, MOST_SLICES);
  return (times) => joined(first.filter(({ ms }) => ms * 1_000 >= times * meanUs));
}

/** Streams that went on within so many slices of each other waited for the same thing. */
const NEIGHBOURS = 4;

function joined(slices: readonly Slice[]): SilentMoment[] {
  const moments: SilentMoment[] = [];
  let lastSlice = Number.NEGATIVE_INFINITY;
  for (const { slice, ms, streams } of slices) {
    const before = moments.at(-1);
    if (before !== undefined && slice - lastSlice <= NEIGHBOURS) {
      moments[moments.length - 1] = {
        endedAt: slice * SLICE_MS,
        ms: Math.max(before.ms, ms),
        streams: before.streams + streams,
      };
    } else moments.push({ endedAt: slice * SLICE_MS, ms, streams });
    lastSlice = slice;
  }
  return moments;
}
