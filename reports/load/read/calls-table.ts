/** Makes the tables `calls`, of the requests of a load, and `kinds`, of what tells them apart in figures of gaps. */

import { z } from "zod";
import type { Database } from "../../tables/database.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import { callsOfShards, OF_LINES, type ShardGroup } from "./calls-sql.ts";
import { isOnGaps, makeGapChecks } from "./gaps.ts";

/** How much a load holds. */
export interface LoadSize {
  /** So many requests that to compute columns in each query takes less than to store them. */
  readonly manyRequests: boolean;
  /** So many gaps that to compute columns in each query of gaps takes less than to store the lists of gaps again. */
  readonly manyGaps: boolean;
}

/** To store the list of a gap again takes 0.1 µs; to plan the columns, 10 ms in each of ten queries. */
const MANY_GAPS = 1_000_000;

/** The size of the load in the tables. */
export async function sizeOfLoad(database: Database): Promise<LoadSize> {
  const [found] = await database.all(
    `SELECT count(*) AS requests, CAST(coalesce(sum(len(gaps_us)), 0) AS DOUBLE) AS gaps FROM ${NUMBERED}`,
    z.object({ requests: z.number(), gaps: z.number() }),
  );
  const { requests = 0, gaps = 0 } = found ?? {};
  return { manyRequests: requests >= database.viewsFrom, manyGaps: gaps >= MANY_GAPS };
}

const isOfKind = (requests: string): string =>
  ["op", "workload", "model", "turn"]
    .map((name) => `kinds.${name} IS NOT DISTINCT FROM ${requests}.${name}`)
    .join(" AND ");

/** Makes `calls`, `call_lines`, which has columns of the lines too, and the kinds of requests. */
export async function makeCalls(database: Database, all: readonly ShardGroup[], size: LoadSize): Promise<void> {
  const [group, ...others] = all;
  const hasGapBounds = all.some(({ bounds }) => bounds.some(isOnGaps));
  const areOfLines = others.length === 0 && group?.hasModels === false && group.steadyFromUs === undefined;
  if (areOfLines && !hasGapBounds && (size.manyRequests || size.manyGaps)) await viewCalls(database, group, size);
  else await storeCalls(database, all, { hasGapBounds, size });
}

const makeKinds = (database: Database, requests: string): Promise<void> =>
  database.run(`CREATE TABLE kinds AS SELECT CAST(row_number() OVER () AS INTEGER) AS kind, * FROM (
    SELECT op, workload, model, turn FROM ${requests} GROUP BY ALL UNION SELECT op, workload, NULL, NULL FROM counted_gaps GROUP BY ALL)`);

/**
 * Of a large load whose requests are all known from their lines: computing the columns of a query takes less than storing all. A view
 * costs some milliseconds per query, and loads with several kinds of requests have many queries: `calls` is then stored.
 */
async function viewCalls(database: Database, group: ShardGroup, { manyRequests }: LoadSize): Promise<void> {
  await database.run(`CREATE VIEW calls_of_lines AS ${callsOfShards(group, OF_LINES)}`);
  await makeKinds(database, "calls_of_lines");
  const [kind, ...more] = await database.all("SELECT kind FROM kinds", z.object({ kind: z.number() }));
  const ofKind =
    more.length === 0
      ? `SELECT *, CAST(${kind?.kind ?? "NULL"} AS INTEGER) AS kind FROM calls_of_lines`
      : `SELECT own.*, kinds.kind FROM calls_of_lines AS own JOIN kinds ON ${isOfKind("own")}`;
  await database.run(`CREATE VIEW call_lines AS ${ofKind}`);
  const isView = manyRequests && more.length === 0;
  await database.run(`CREATE ${isView ? "VIEW" : "TABLE"} calls AS SELECT * EXCLUDE (${OF_LINES}) FROM call_lines`);
}

/** Of a small load, `calls` has the columns of the lines too: so they need not be joined. */
async function storeCalls(
  database: Database,
  all: readonly ShardGroup[],
  { hasGapBounds, size }: { readonly hasGapBounds: boolean; readonly size: LoadSize },
): Promise<void> {
  const hasLines = !size.manyRequests && !size.manyGaps;
  for (const [index, group] of all.entries()) {
    if (hasGapBounds) await makeGapChecks(database, group);
    const rows = callsOfShards(group, hasLines ? OF_LINES : "");
    await database.run(`${index === 0 ? "CREATE TABLE calls AS" : "INSERT INTO calls BY NAME"} ${rows}`);
  }
  await makeKinds(database, "calls");
  await database.run(
    `ALTER TABLE calls ADD COLUMN kind INTEGER; UPDATE calls SET kind = kinds.kind FROM kinds WHERE ${isOfKind("calls")}`,
  );
  const joined = `SELECT c.*, lines.* EXCLUDE (picked) FROM calls AS c JOIN (SELECT n AS picked, ${OF_LINES} FROM ${NUMBERED}) AS lines ON lines.picked = c.n`;
  await database.run(`CREATE VIEW call_lines AS ${hasLines ? "SELECT * FROM calls" : joined}`);
}
