/** The gaps between chunks of some requests, and what is counted of them. */

import type { CountedGaps, RequestRecord } from "../../../formats/records.ts";
import { STALL_MS } from "../../../load/objectives/metrics.ts";
import { readInstant } from "../../../settings/instants.ts";
import { PageStore } from "../stats/page-store.ts";
import { PooledGaps } from "../stats/pooled-gaps.ts";
import { type ClockError, eachGap } from "./clock-error.ts";

const STALL_US = STALL_MS * 1_000;

export class GapTotals {
  readonly pool: PooledGaps;
  /** What each of them was at least, and at most. */
  readonly least: PooledGaps;
  readonly most: PooledGaps;
  /** Gaps that the records list, and that they only count because a histogram holds them. */
  listed = 0;
  counted = 0;
  /** Requests that have gaps. */
  requests = 0;
  /** Those longer than a stall; undefined once a record does not contain it. */
  stalls: number | undefined = 0;
  /** Those of them that the load generator cannot have made. */
  certainStalls = 0;
  /** Chunks that the target, or a proxy before it, sent together: what waited while the load generator was interrupted is not known to be. */
  coalesced = 0;

  constructor(store = new PageStore()) {
    this.pool = new PooledGaps(store);
    this.least = new PooledGaps(store);
    this.most = new PooledGaps(store);
  }

  /** Adds an ok request of the measured phase. */
  add(record: RequestRecord, clock: ClockError): void {
    const { coalesced = 0, gaps_us, gaps_over_us, chunks = 0, flags } = record;
    if ((gaps_us === undefined && gaps_over_us === undefined) || flags?.includes("buffered")) return;
    const stalls = gaps_us === undefined ? gaps_over_us?.[STALL_US] : countOver(gaps_us, STALL_US);
    this.stalls = this.stalls === undefined || stalls === undefined ? undefined : this.stalls + stalls;
    const count = gaps_us?.length ?? Math.max(0, chunks - 1);
    if (count > 0) this.requests += 1;
    const sent = readInstant(record.sent);
    const isInterrupted = clock.isInterrupted(sent, sent + (record.e2e ?? 0));
    if (!isInterrupted) this.coalesced += coalesced;
    if (gaps_us === undefined) {
      this.counted += count;
      if (!isInterrupted) this.certainStalls += stalls ?? 0;
      return;
    }
    this.listed += gaps_us.length;
    this.pool.add(gaps_us);
    const first = sent + (record.ttft ?? 0);
    eachGap(clock, first, gaps_us, (_, { low, high }) => {
      this.least.addOne(low);
      this.most.addOne(high);
      if (low > STALL_US) this.certainStalls += 1;
    });
  }

  /** Adds gaps out of a histogram, which does not say when each was: any may have the largest error of all. */
  addCounted(gaps: CountedGaps, clock: ClockError): void {
    if (gaps.phase !== "measure") return;
    this.pool.addCounted(gaps);
    const largest = Math.ceil(clock.largest * 1_000);
    this.least.addCounted({ ...gaps, us: gaps.us.map((us) => Math.max(0, us - largest)) });
    this.most.addCounted({ ...gaps, us: gaps.us.map((us) => us + largest) });
  }

  /** Adds those of other requests. */
  merge(other: GapTotals): void {
    this.pool.merge(other.pool);
    this.least.merge(other.least);
    this.most.merge(other.most);
    this.certainStalls += other.certainStalls;
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
