/** Makes the tables `calls`, of the requests of a load, and `kinds`, of what tells them apart in figures of gaps. */

import { z } from "zod";
import { literal } from "../../../lib/duckdb.mjs";
import type { Database } from "../../tables/database.ts";
import { callsOfShard, OF_LINES, type ShardOf } from "./calls-sql.ts";
import { gapChecks } from "./gaps-sql.ts";

/** Kinds of requests, by which a view tells them apart, at most. */
const MOST_KINDS = 20;

/**
 * Makes `calls`, and the kinds of requests. Of many requests of which their lines alone tell all, it is a view: to compute the columns
 * that a query needs takes less than to store all of them.
 */
export async function makeCalls(database: Database, all: readonly ShardOf[]): Promise<void> {
  const hasGapBounds = all.some(({ bounds }) => bounds.some(({ metric }) => metric === "icl"));
  const areOfLines =
    all.length === 1 && !hasGapBounds && all.every((each) => !each.hasModels && each.steadyFromUs === undefined);
  const [first, made] = areOfLines && database.isLarge ? ["calls_of_lines", "VIEW"] : ["calls", "TABLE"];
  for (const [index, shard] of all.entries()) {
    if (hasGapBounds) await database.run(`CREATE OR REPLACE TEMP TABLE gap_checks AS ${gapChecks(shard)}`);
    await database.run(
      `${index === 0 ? `CREATE ${made} ${first} AS` : `INSERT INTO ${first} BY NAME`} ${callsOfShard(shard, made === "VIEW" ? OF_LINES : "")}`,
    );
  }
  await database.run(`CREATE TABLE kinds AS SELECT CAST(row_number() OVER () AS INTEGER) AS kind, * FROM (
    SELECT op, workload, model, turn FROM ${first} GROUP BY ALL UNION SELECT op, workload, NULL, NULL FROM counted_gaps GROUP BY ALL)`);
  const isKind = (kind: KindRow): string =>
    KIND_COLUMNS.map((name) => `${name} IS NOT DISTINCT FROM ${sqlOf(kind[name])}`).join(" AND ");
  const kinds = made === "VIEW" ? await database.all("SELECT * FROM kinds", kindRow) : [];
  if (made === "VIEW" && kinds.length <= MOST_KINDS) {
    const cases = kinds.map((kind) => `WHEN ${isKind(kind)} THEN ${kind.kind}`);
    await database.run(
      `CREATE VIEW calls AS SELECT *, CAST(${kinds.length === 1 ? kinds[0]?.kind : `CASE ${cases.join(" ")} END`} AS INTEGER) AS kind FROM ${first}`,
    );
    await database.run("CREATE VIEW call_lines AS SELECT * FROM calls");
    return;
  }
  if (made === "VIEW") await database.run(`CREATE TABLE calls AS SELECT * EXCLUDE (${OF_LINES}) FROM ${first}`);
  const isOfKind = KIND_COLUMNS.map((name) => `kinds.${name} IS NOT DISTINCT FROM calls.${name}`).join(" AND ");
  await database.run(
    `ALTER TABLE calls ADD COLUMN kind INTEGER; UPDATE calls SET kind = kinds.kind FROM kinds WHERE ${isOfKind}`,
  );
  await database.run(
    `CREATE VIEW call_lines AS SELECT c.*, lines.* EXCLUDE (picked) FROM calls AS c JOIN (SELECT rowid AS picked, ${OF_LINES} FROM requests) AS lines ON lines.picked = c.n`,
  );
}

const KIND_COLUMNS = ["op", "workload", "model", "turn"] as const;
const kindRow = z.object({
  kind: z.number(),
  op: z.string(),
  workload: z.string().nullable(),
  model: z.string().nullable(),
  turn: z.number().nullable(),
});
type KindRow = z.infer<typeof kindRow>;
const sqlOf = (value: string | number | null): string =>
  value === null ? "NULL" : typeof value === "number" ? `${value}` : literal(value);
