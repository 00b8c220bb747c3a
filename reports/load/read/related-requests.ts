/** The other requests of the arrivals whose requests are listed: the turns of a conversation, the calls of a video task. Pure. */

import type { RequestRecord } from "../../../formats/records.ts";
import type { ListedRequests, NotableRequest } from "../../../formats/run-requests.ts";
import { notableOf } from "./notable-requests.ts";

/** Requests of an arrival that are listed at most: as many of its first as of its last. */
const MOST = 40;

const ARRIVAL = /"arrival":(\d+)/;

export class RelatedRequests {
  readonly #arrivals = new Map<number, { readonly first: RequestRecord[]; last: RequestRecord[] }>();

  constructor({ slowest, failed }: Pick<ListedRequests, "slowest" | "failed">) {
    for (const { arrival } of [...failed, ...Object.values(slowest).flat()])
      if (arrival !== undefined) this.#arrivals.set(arrival, { first: [], last: [] });
  }

  /** Whether a line of the records may be a request of one of the arrivals: most lines need not be parsed. */
  mayTake(line: string): boolean {
    const found = ARRIVAL.exec(line)?.[1];
    return found !== undefined && this.#arrivals.has(Number(found));
  }

  add(record: RequestRecord): void {
    const known = this.#arrivals.get(record.arrival ?? Number.NaN);
    if (known === undefined) return;
    if (known.first.length < MOST / 2) known.first.push(record);
    else known.last = [...known.last.slice(1 - MOST / 2), record];
  }

  /** Of each arrival that has several. @param origin instant of second 0, in milliseconds */
  of(origin: number): NotableRequest[][] {
    return [...this.#arrivals.values()]
      .map(({ first, last }) => [...first, ...last])
      .filter((records) => records.length > 1)
      .map((records) =>
        records.map((record) => withoutChunks(notableOf(record, origin))).toSorted((a, b) => a.sentS - b.sentS),
      );
  }
}

/** A request among others is a line. */
const withoutChunks = ({ chunksMs: _, gapsMs: __, ...request }: NotableRequest): NotableRequest => request;
