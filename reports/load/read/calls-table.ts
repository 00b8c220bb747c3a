/** Makes the tables `calls`, of the requests of a load, and `kinds`, of what tells them apart in figures of gaps. */

import { z } from "zod";
import type { Database } from "../../tables/database.ts";
import { NUMBERED, STORED } from "../../tables/stored-requests.ts";
import { callsOfShard, OF_LINES, type ShardOf } from "./calls-sql.ts";
import { gapChecks } from "./gaps-sql.ts";

/**
 * Makes `calls`, `call_lines` and the kinds of requests. A large load with one kind of requests, all known from their lines, has a view:
 * computing the columns of a query takes less than storing all. A view costs some milliseconds per query, and loads with several kinds
 * have many queries. Of a small load, `calls` has the columns of the lines too: so `call_lines` need not be joined.
 */
export async function makeCalls(database: Database, all: readonly ShardOf[]): Promise<void> {
  const hasGapBounds = all.some(({ bounds }) => bounds.some(({ metric }) => metric === "icl"));
  const areOfLines =
    all.length === 1 && !hasGapBounds && all.every((each) => !each.hasModels && each.steadyFromUs === undefined);
  const many = await areMany(database);
  const isView = areOfLines && many;
  const hasLines = areOfLines || !many;
  const first = isView ? "calls_of_lines" : "calls";
  const begin = `CREATE ${isView ? "VIEW" : "TABLE"} ${first} AS`;
  for (const [index, shard] of all.entries()) {
    if (hasGapBounds) await database.run(`CREATE OR REPLACE TEMP TABLE gap_checks AS ${gapChecks(shard)}`);
    const rows = callsOfShard(shard, hasLines ? OF_LINES : "");
    await database.run(`${index === 0 ? begin : `INSERT INTO ${first} BY NAME`} ${rows}`);
  }
  await database.run(`CREATE TABLE kinds AS SELECT CAST(row_number() OVER () AS INTEGER) AS kind, * FROM (
    SELECT op, workload, model, turn FROM ${first} GROUP BY ALL UNION SELECT op, workload, NULL, NULL FROM counted_gaps GROUP BY ALL)`);
  const kinds = isView ? await database.all("SELECT kind FROM kinds", z.object({ kind: z.number() })) : [];
  if (kinds.length === 1) {
    await database.run(`CREATE VIEW calls AS SELECT *, CAST(${kinds[0]?.kind} AS INTEGER) AS kind FROM ${first}`);
    await database.run("CREATE VIEW call_lines AS SELECT * FROM calls");
    return;
  }
  if (isView) await database.run(`CREATE TABLE calls AS SELECT * EXCLUDE (${OF_LINES}) FROM ${first}`);
  const isOfKind = ["op", "workload", "model", "turn"]
    .map((name) => `kinds.${name} IS NOT DISTINCT FROM calls.${name}`)
    .join(" AND ");
  await database.run(
    `ALTER TABLE calls ADD COLUMN kind INTEGER; UPDATE calls SET kind = kinds.kind FROM kinds WHERE ${isOfKind}`,
  );
  const joined = `SELECT c.*, lines.* EXCLUDE (picked) FROM calls AS c JOIN (SELECT n AS picked, ${OF_LINES} FROM ${NUMBERED}) AS lines ON lines.picked = c.n`;
  await database.run(`CREATE VIEW call_lines AS ${many ? joined : "SELECT * FROM calls"}`);
}

/** Whether the load is large: then views take less than tables. */
export async function areMany(database: Database): Promise<boolean> {
  const [found] = await database.all(
    `SELECT count(*) AS n FROM ${STORED} WHERE op IS NOT NULL`,
    z.object({ n: z.number() }),
  );
  return (found?.n ?? 0) >= database.viewsFrom;
}
