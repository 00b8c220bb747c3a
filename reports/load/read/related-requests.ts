/** The other requests of the arrivals whose requests are listed: the turns of a conversation, the calls of a video task. */

import type { ListedRequests, NotableRequest } from "../../../formats/run-requests.ts";
import type { Database } from "../../tables/database.ts";
import { notableOf, recordsOf } from "./notable-requests.ts";

/** Requests of an arrival that are listed at most: as many of its first as of its last. */
const MOST = 40;

/** Those of each arrival that has several. @param origin instant of second 0, in milliseconds */
export async function relatedRequests(
  database: Database,
  { slowest, failed }: Pick<ListedRequests, "slowest" | "failed">,
  origin: number,
): Promise<NotableRequest[][]> {
  const arrivals = new Set([...failed, ...Object.values(slowest).flat()].flatMap(({ arrival }) => arrival ?? []));
  const related: NotableRequest[][] = [];
  for (const arrival of arrivals) {
    const placed = `SELECT n, row_number() OVER (ORDER BY n) AS first, row_number() OVER (ORDER BY n DESC) AS last FROM calls WHERE arrival = ${arrival}`;
    const records = await recordsOf(
      database,
      `SELECT n AS picked, n AS place FROM (${placed}) WHERE first <= ${MOST / 2} OR last <= ${MOST / 2}`,
    );
    if (records.length < 2) continue;
    related.push(
      records.map((record) => withoutChunks(notableOf(record, origin))).toSorted((a, b) => a.sentS - b.sentS),
    );
  }
  return related;
}

/** A request among others is a line. */
const withoutChunks = ({ chunksMs: _, gapsMs: __, ...request }: NotableRequest): NotableRequest => request;
