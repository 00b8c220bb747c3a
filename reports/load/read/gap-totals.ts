/** The gaps between chunks of some requests, and what is counted of them. */

import type { CountedGaps, RequestRecord } from "../../../formats/records.ts";
import { STALL_MS } from "../../../scenarios/metrics.ts";
import { PageStore } from "../stats/page-store.ts";
import { PooledGaps } from "../stats/pooled-gaps.ts";

const STALL_US = STALL_MS * 1_000;

export class GapTotals {
  readonly pool: PooledGaps;
  /** Gaps that the records list, and that they only count because a histogram holds them. */
  listed = 0;
  counted = 0;
  /** Requests that have gaps. */
  requests = 0;
  /** Those longer than a stall; undefined once a record does not contain it. */
  stalls: number | undefined = 0;
  coalesced = 0;

  constructor(store = new PageStore()) {
    this.pool = new PooledGaps(store);
  }

  /** Adds an ok request of the measured phase. */
  add({ coalesced = 0, gaps_us, gaps_over_us, chunks = 0, flags }: RequestRecord): void {
    this.coalesced += coalesced;
    if ((gaps_us === undefined && gaps_over_us === undefined) || flags?.includes("buffered")) return;
    const stalls = gaps_us === undefined ? gaps_over_us?.[STALL_US] : countOver(gaps_us, STALL_US);
    this.stalls = this.stalls === undefined || stalls === undefined ? undefined : this.stalls + stalls;
    const count = gaps_us?.length ?? Math.max(0, chunks - 1);
    if (count > 0) this.requests += 1;
    if (gaps_us === undefined) {
      this.counted += count;
      return;
    }
    this.listed += gaps_us.length;
    this.pool.add(gaps_us);
  }

  /** Adds gaps out of a histogram. */
  addCounted(gaps: CountedGaps): void {
    if (gaps.phase === "measure") this.pool.addCounted(gaps);
  }

  /** Adds those of other requests. */
  merge(other: GapTotals): void {
    this.pool.merge(other.pool);
    this.listed += other.listed;
    this.counted += other.counted;
    this.requests += other.requests;
    this.stalls = this.stalls === undefined || other.stalls === undefined ? undefined : this.stalls + other.stalls;
    this.coalesced += other.coalesced;
  }
}

function countOver(gapsUs: readonly number[], us: number): number {
  let count = 0;
  for (const gap of gapsUs) if (gap > us) count += 1;
  return count;
}
