import { expect, test } from "vitest";
import { z } from "zod";
import { literal } from "../../../lib/duckdb.mjs";
import { parseSlo } from "../../../load/objectives/slo.ts";
import { makeRun, withLateWakes } from "../../../tests/support/results/load-run.ts";
import { inDatabase } from "../../../tests/support/results/summarize-shards.ts";
import type { Database } from "../../tables/database.ts";
import { groupsOf, OF_LINES, type ShardGroup } from "./calls-sql.ts";
import { type LoadSize, makeCalls } from "./calls-table.ts";
import { countGaps } from "./gaps.ts";
import { readShards, type Shard } from "./shards.ts";

const SMALL: LoadSize = { manyRequests: false, manyGaps: false };
const SIZES: readonly LoadSize[] = [SMALL, { ...SMALL, manyGaps: true }, { ...SMALL, manyRequests: true }];

/** Three load generators that began apart, ran for unlike times and were late by unlike amounts. */
const SHARDS: readonly Shard[] = [4, 9, 6].map((durationS, shard) => {
  const { records, client } = makeRun({ segment: `${shard}/3:${shard + 1}/3`, durationS, laterS: shard / 4 });
  return { records, client: client.map((line, second) => withLateWakes(line, 3 + 5 * shard + (second % 3))) };
});

const ofLines = OF_LINES.split(", ").map(literal).join(", ");

const oneByOne = (groups: readonly ShardGroup[]): ShardGroup[] =>
  groups.flatMap((group) => group.clocks.map((clock, first) => ({ ...group, first, clocks: [clock] })));

/** What the tables of requests and of gaps hold. */
async function contentsOf(database: Database) {
  const rows = async (sql: string) => database.all(sql, z.unknown());
  return {
    calls: await rows(`SELECT COLUMNS(lambda c: c NOT IN (${ofLines})) FROM calls ORDER BY n`),
    lines: await rows(`SELECT n, kind, ${OF_LINES} FROM call_lines ORDER BY n`),
    gaps: await rows(
      "SELECT kind, shape, listed, us, sum(n)::DOUBLE AS n FROM gap_counts GROUP BY ALL ORDER BY shape, us, kind, listed",
    ),
  };
}

/** Makes the tables again, of these groups. */
async function remake(database: Database, groups: readonly ShardGroup[], size: LoadSize) {
  for (const name of ["calls", "call_lines", "calls_of_lines", "kinds"]) {
    for (const kind of ["VIEW", "TABLE"]) await database.run(`DROP ${kind} IF EXISTS ${name}`).catch(() => undefined);
  }
  await makeCalls(database, groups, size);
  await database.run("DELETE FROM gap_counts");
  for (const group of groups) await countGaps(database, group);
  return contentsOf(database);
}

test.each([
  { name: "bounds on requests", slos: ["ttft_p95<300ms", "tpot<25ms", "e2e<1s"] },
  { name: "bounds on gaps too", slos: ["icl<21ms", "ttft<260ms"] },
  { name: "no bounds", slos: [] },
])("shards that are looked at together have the values that they have one by one, at any size: $name", ({ slos }) =>
  inDatabase(async (database) => {
    const { shardGroups } = await readShards(database, SHARDS, { bounds: slos.map(parseSlo) });
    expect(shardGroups).toHaveLength(1);
    const together = await contentsOf(database);
    const single = oneByOne(shardGroups);
    expect(await remake(database, single, SMALL)).toEqual(together);
    for (const size of SIZES) expect(await remake(database, shardGroups, size)).toEqual(together);
  }),
);

test("shards are looked at together that differ in their clocks alone, as many as fit", () =>
  inDatabase(async (database) => {
    const { shardGroups } = await readShards(database, SHARDS, { bounds: [] });
    const single = oneByOne(shardGroups);
    const sizes = (groups: readonly ShardGroup[]) => groups.map(({ first, clocks }) => [first, clocks.length]);
    const [first, second, third] = single;
    expect(sizes(groupsOf(single))).toEqual([[0, 3]]);
    expect(sizes(groupsOf(single, 0))).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(
      sizes(groupsOf(single, (first?.clocks[0]?.slices.length ?? 0) + (second?.clocks[0]?.slices.length ?? 0))),
    ).toEqual([
      [0, 2],
      [2, 1],
    ]);
    if (first === undefined || second === undefined || third === undefined) throw new Error("There are three.");
    expect(sizes(groupsOf([first, { ...second, hasModels: true }, third]))).toHaveLength(3);
    expect(sizes(groupsOf([first, { ...second, steadyFromUs: 1 }, third]))).toHaveLength(3);
    const exact = second.clocks.map((clock) => ({ ...clock, largest: 0 }));
    expect(sizes(groupsOf([first, { ...second, clocks: exact }, third]))).toHaveLength(3);
  }));
