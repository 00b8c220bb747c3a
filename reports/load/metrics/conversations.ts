/** The conversations of a run whose arrivals are such: how they ended, and the requests of each turn. */

import { z } from "zod";
import type { RunResult } from "../../../formats/run.ts";
import type { Requests } from "../read/measured-requests.ts";
import { unitsSql } from "../read/unit-rows.ts";
import { countCalls, ownLatencies } from "./request-metrics.ts";
import { rowsOf, type Selection, whichUnits } from "./unit-counts.ts";

type Conversations = NonNullable<RunResult["conversations"]>;

/** The measured conversations among the selected units; undefined when there are none. */
export async function conversationsOf(requests: Requests, selection: Selection): Promise<Conversations | undefined> {
  const n = z.number();
  const [found] = await requests.database.all(
    `SELECT count(*) AS started, count(*) FILTER (outcome = 'ok' AND turn >= turns) AS whole, count(*) FILTER (outcome = 'ok' AND turn < turns) AS short,
      coalesce(avg(turn), 0) AS "meanTurns", coalesce(max(turn), 0) AS most FROM units WHERE turns > 0 AND measured AND ${unitsSql(whichUnits(selection))}`,
    z.object({ started: n, whole: n, short: n, meanTurns: n, most: n }),
  );
  if (found === undefined || found.started === 0) return undefined;
  const { most, ...counts } = found;
  const turns: Conversations["turns"] = [];
  for (let turn = 1; turn <= most; turn += 1) {
    const rows = { ...rowsOf(selection), turn };
    const calls = await countCalls(requests, rows);
    if (calls.total > 0) turns.push({ turn, calls, metrics: await ownLatencies(requests, rows) });
  }
  return { ...counts, turns };
}
