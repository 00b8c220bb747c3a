import { expect, test } from "vitest";
import { z } from "zod";
import { makeRun, withLateWakes } from "../../../tests/support/results/load-run.ts";
import { inDatabase } from "../../../tests/support/results/summarize-shards.ts";
import { makeViews } from "../../tables/run-tables.ts";
import { eachGap } from "./gaps.ts";
import { readShards } from "./shards.ts";

test("each gap of each shard ends when the table of gaps says, and is of its own request", () =>
  inDatabase(async (database) => {
    const shards = [4, 9].map((durationS, shard) => {
      const { records, client } = makeRun({ segment: `${shard}/2:${shard + 1}/2`, durationS, laterS: shard / 4 });
      return { records, client: client.map((line) => withLateWakes(line, 3)) };
    });
    const { shardGroups } = await readShards(database, shards, { bounds: [] });
    await database.run(makeViews());
    const listed = await database.all(
      `SELECT line, gap_us AS us, at_us AS "atUs" FROM gaps JOIN (SELECT shard, line, outcome FROM requests) USING (shard, line)
        WHERE outcome = 'ok' ORDER BY shard, line, number`,
      z.object({ line: z.number(), us: z.number(), atUs: z.number() }),
    );
    const seen: (typeof listed)[number][] = [];
    for (const group of shardGroups)
      await eachGap(
        database,
        group,
        { columns: ["line"] },
        ([line = 0]) =>
          ({ us, atUs }) =>
            seen.push({ line, us, atUs }),
      );
    expect(listed.length).toBeGreaterThan(100);
    expect(seen).toEqual(listed);
  }));
