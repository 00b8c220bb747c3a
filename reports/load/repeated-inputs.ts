/** How many requests of a run sent what had been sent before, and whether those were answered sooner. */

import { z } from "zod";
import type { InputsOfRun } from "../../formats/run-inputs.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import type { Database } from "../tables/database.ts";
import { MEASURED } from "./read/measured-requests.ts";

/** Fewer requests of either kind say nothing of how they differ. */
const FEWEST = 20;

/**
 * Requests that sent an input, those of the warm-up too, with whether it is a new one, whether it begins as none before, and the time to the
 * first token or to the end. The later turns of a conversation begin as its first one, and count for none.
 */
const SENT = `SELECT c.op, c.workload, c.model, c.phase, c.outcome, coalesce(r.ttft_us, r.e2e_us) / 1000 AS ms, r.cached_tokens, r.input_tokens,
  r.input_digest, row_number() OVER (PARTITION BY r.input_digest ORDER BY c.n) = 1 AS fresh,
  r.prefix_digest IS NULL OR coalesce(r.turn, 1) > 1 OR row_number() OVER (PARTITION BY r.prefix_digest, coalesce(r.turn, 1) > 1 ORDER BY c.n) = 1 AS begins
  FROM calls AS c JOIN requests AS r ON r.rowid = c.n WHERE r.input_digest IS NOT NULL`;

const n = z.number();

/** What is known of the inputs; undefined where no record says what was sent. */
export async function inputsOf(database: Database): Promise<InputsOfRun | undefined> {
  const ok = `${MEASURED} AND outcome = 'ok'`;
  const told = `${ok} AND cached_tokens IS NOT NULL AND input_tokens > 0`;
  const [found] = await database.all(
    `SELECT count(*) FILTER (${MEASURED}) AS requests, count(*) FILTER (${MEASURED} AND NOT fresh) AS repeated, count(*) FILTER (${MEASURED} AND NOT begins) AS alike, count(*) FILTER (fresh) AS distinct_inputs,
      count(*) FILTER (${told}) AS telling, coalesce(sum(least(cached_tokens, input_tokens)) FILTER (${told}), 0)::DOUBLE AS cached, coalesce(sum(input_tokens) FILTER (${told}), 0)::DOUBLE AS tokens FROM (${SENT})`,
    z.object({ requests: n, repeated: n, alike: n, distinct_inputs: n, telling: n, cached: n, tokens: n }),
  );
  if (found === undefined || found.requests === 0) return undefined;
  const { requests, repeated, alike: begunAlike, distinct_inputs: distinct, telling, cached, tokens } = found;
  return omitUndefined<InputsOfRun>({
    requests,
    repeated,
    begunAlike,
    distinct,
    times: repeated < FEWEST ? undefined : await timesOf(database, ok, "fresh"),
    begunTimes: begunAlike - repeated < FEWEST ? undefined : await timesOf(database, ok, "begins"),
    cached: telling === 0 ? undefined : { requests: telling, share: cached / tokens },
  });
}

/** The times of the kind of requests of which most were repeated, and enough were not. @param fresh what says that one is not */
async function timesOf(database: Database, ok: string, fresh: "fresh" | "begins"): Promise<InputsOfRun["times"]> {
  const quantile = (share: number, which: string): string => `quantile_disc(ms, ${share}) FILTER (${which})`;
  const [most] = await database.all(
    `SELECT ${quantile(0.5, fresh)} AS "freshMs", ${quantile(0.25, fresh)} AS early, ${quantile(0.5, `NOT ${fresh}`)} AS "repeatedMs", ${quantile(0.75, `NOT ${fresh}`)} AS late
      FROM (${SENT}) WHERE ${ok} AND ms IS NOT NULL GROUP BY op, workload, model
      HAVING count(*) FILTER (${fresh}) >= ${FEWEST} AND count(*) FILTER (NOT ${fresh}) >= ${FEWEST} ORDER BY count(*) FILTER (NOT ${fresh}) DESC LIMIT 1`,
    z.object({ freshMs: n, early: n, repeatedMs: n, late: n }),
  );
  return most && { freshMs: most.freshMs, repeatedMs: most.repeatedMs, sooner: most.late < most.early };
}
