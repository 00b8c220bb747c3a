/** Gathers the gaps between chunks of a run by the time of their request, while its records are read. */

import type { CountedGaps, RecordHeader, RequestRecord } from "../../formats/records.ts";
import { readInstant } from "../../settings/instants.ts";
import type { RecordFollower } from "../load/read/shards.ts";
import { blockAt } from "./blocks.ts";
import { GapSample } from "./stats/gap-sample.ts";

export class RunGaps implements RecordFollower {
  readonly #blocks: number;
  readonly sample: GapSample;
  #duration = 0;
  /** When the first measured request was due, and the last that was read. Milliseconds since 1970. */
  #from: number | undefined;
  #now = 0;
  /** Requests with gaps: gaps of one request are alike, so these are the independent values. */
  requests = 0;

  constructor(blocks: number) {
    this.#blocks = blocks;
    this.sample = new GapSample(blocks);
  }

  header({ settings }: RecordHeader): void {
    this.#duration = settings.duration;
  }

  request({ phase, outcome, scheduled, gaps_us, gaps_over_us, chunks = 0, flags }: RequestRecord): void {
    if (phase !== "measure" || outcome !== "ok") return;
    this.#now = readInstant(scheduled);
    this.#from ??= this.#now;
    if (flags?.includes("buffered")) return;
    if (gaps_us === undefined) {
      if (gaps_over_us !== undefined && chunks > 1) this.requests += 1;
      return;
    }
    if (gaps_us.length > 0) this.requests += 1;
    const block = this.#block();
    for (const gap of gaps_us) this.sample.add(block, gap);
  }

  /** A histogram holds the gaps of the requests before it. */
  gaps({ phase, us, n }: CountedGaps): void {
    if (phase !== "measure") return;
    const block = this.#block();
    for (const [index, gap] of us.entries()) this.sample.add(block, gap, n[index] ?? 0);
  }

  #block(): number {
    const from = this.#from ?? this.#now;
    return blockAt(this.#now, { from, to: from + this.#duration }, this.#blocks);
  }
}
