/** Whether requests of a run that sent what had been sent before were answered sooner, and those on new connections later. */

import { z } from "zod";
import { CONNECTION_PHASES, type InputsOfRun, type TimesByConnection } from "../../formats/run-inputs.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import type { Database } from "../tables/database.ts";
import { DIGESTS } from "../tables/run-tables.ts";
import { NUMBERED } from "../tables/stored-requests.ts";
import { BEYOND_CHANCE } from "./metrics/failed-addresses.ts";
import { MEASURED, type Requests } from "./read/measured-requests.ts";

/** Fewer requests of either kind say nothing of how they differ. */
const FEWEST = 20;

/** Requests that sent an input, those of the warm-up too, with the time to the first token or to the end. */
const REQUESTS = `SELECT c.n, c.op, c.workload, c.model, c.phase, c.outcome, coalesce(r.ttft_us, r.e2e_us) / 1000 AS ms, r.cached_tokens, r.input_tokens,
  NOT coalesce(r.reused, FALSE) AS opened, r.lookup_us / 1000 AS lookup, r.connect_us / 1000 AS connect, r.tls_us / 1000 AS tls,
  r.input_digest, r.prefix_digest, r.completion, coalesce(r.turn, 1) = 1 AS is_first FROM calls AS c JOIN ${NUMBERED} AS r ON r.n = c.n WHERE r.input_digest IS NOT NULL`;

/**
 * The same with whether the input is a new one, and whether it begins as none before. The later turns of a conversation begin as its
 * first one, and count for none.
 */
const SENT = `SELECT *, row_number() OVER (PARTITION BY input_digest ORDER BY n) = 1 AS fresh,
  prefix_digest IS NULL OR NOT is_first OR row_number() OVER (PARTITION BY prefix_digest, is_first ORDER BY n) = 1 AS begins FROM (${REQUESTS})`;

/** What was sent before the load. */
export interface EarlierInputs {
  /** What sent it, as the user named it. */
  readonly from: string;
  /** The paths of its records. */
  readonly records: readonly string[];
}

const n = z.number();
const OK = `${MEASURED} AND outcome = 'ok'`;

/**
 * What is known of the inputs; undefined where no record says what was sent.
 * @param earlier what was sent before the load; absent: it is not asked for
 */
export async function inputsOf(database: Database, earlier?: EarlierInputs): Promise<InputsOfRun | undefined> {
  const told = `${OK} AND cached_tokens IS NOT NULL AND input_tokens > 0`;
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
    replayed: repeated === 0 ? undefined : await replayedOf(database),
    times: repeated < FEWEST ? undefined : await timesOf(database, SENT, ["fresh", "NOT fresh"]),
    begunTimes: begunAlike - repeated < FEWEST ? undefined : await timesOf(database, SENT, ["begins", "NOT begins"]),
    cached: telling === 0 ? undefined : { requests: telling, share: cached / tokens },
    earlier: earlier && (await earlierOf(database, earlier)),
  });
}

/**
 * How many measured responses are those to an earlier request with the same input, by their ids; undefined for none. A target that
 * gives one id to responses to different inputs does not tell, nor does one with a single id.
 */
async function replayedOf(database: Database): Promise<number | undefined> {
  const byId = `SELECT count(*) AS sent, count(*) FILTER (${MEASURED}) AS measured, min(input_digest) = max(input_digest) AS own
    FROM (${REQUESTS}) WHERE outcome = 'ok' AND completion IS NOT NULL GROUP BY completion`;
  const [found] = await database.all(
    `SELECT count(*) AS ids, coalesce(bool_and(own), FALSE) AS own, coalesce(sum(least(measured, sent - 1)), 0)::DOUBLE AS replayed FROM (${byId})`,
    z.object({ ids: n, own: z.boolean(), replayed: n }),
  );
  return found?.own === true && found.ids > 1 && found.replayed > 0 ? found.replayed : undefined;
}

/** How many measured requests sent what was sent before the load. */
async function earlierOf(database: Database, { from, records }: EarlierInputs): Promise<InputsOfRun["earlier"]> {
  await database.run("CREATE TEMP TABLE earlier (input_digest BIGINT, prefix_digest BIGINT)");
  for (const path of records) await database.run(`INSERT INTO earlier ${DIGESTS}`, path);
  const isIn = (digest: string): string => `coalesce(${digest} IN (SELECT ${digest} FROM earlier), FALSE)`;
  const known = `SELECT *, ${isIn("input_digest")} AS again, is_first AND ${isIn("prefix_digest")} AS begun FROM (${SENT})`;
  const [found = { again: 0, begun: 0 }] = await database.all(
    `SELECT count(*) FILTER (again) AS again, count(*) FILTER (begun) AS begun FROM (${known}) WHERE ${MEASURED}`,
    z.object({ again: n, begun: n }),
  );
  const { again: repeated, begun: begunAlike } = found;
  return omitUndefined<NonNullable<InputsOfRun["earlier"]>>({
    from,
    repeated,
    begunAlike,
    times: repeated < FEWEST ? undefined : await timesOf(database, known, ["fresh AND NOT again", "again"]),
    begunTimes:
      begunAlike - repeated < FEWEST ? undefined : await timesOf(database, known, ["begins AND NOT begun", "begun"]),
  });
}

/** Conditions of requests, and of those that they are told apart from. */
type Such = readonly [such: string, other: string];

/** The times of the kind of requests of which most were repeated, and enough were new. @param sent the query that has them */
async function timesOf(database: Database, sent: string, [fresh, repeated]: Such): Promise<InputsOfRun["times"]> {
  const [most] = await database.all(
    ofKind([fresh, repeated], `(SELECT * FROM (${sent}) WHERE ${OK} AND ms IS NOT NULL)`, {
      freshMs: quantile(0.5, fresh),
      early: quantile(0.25, fresh),
      repeatedMs: quantile(0.5, repeated),
      late: quantile(0.75, repeated),
    }),
    z.object({ freshMs: n, early: n, repeatedMs: n, late: n }),
  );
  return most && { freshMs: most.freshMs, repeatedMs: most.repeatedMs, sooner: most.late < most.early };
}

const quantile = (share: number, which: string): string => `quantile_disc(ms, ${share}) FILTER (${which})`;

const KIND = "op, workload, model";

/** Figures of the kind of requests of which most are the others, and enough are such. */
const ofKind = ([such, other]: Such, from: string, figures: Readonly<Record<string, string>>): string =>
  `SELECT ${Object.entries(figures)
    .map(([name, figure]) => `${figure} AS "${name}"`)
    .join(
      ", ",
    )} FROM ${from} GROUP BY ${KIND} HAVING count(*) FILTER (${such}) >= ${FEWEST} AND count(*) FILTER (${other}) >= ${FEWEST} ORDER BY count(*) FILTER (${other}) DESC LIMIT 1`;

/** Times that differ by less, as a share of those on reused connections, are not told apart. */
const LEAST_DIFFERENCE = 0.05;

/**
 * The times of requests on new and on reused connections; undefined where they do not differ by more than chance: by the ranks of
 * all times (Wilcoxon), whatever their distribution.
 */
export async function timesByConnectionOf({ database, facts }: Requests): Promise<TimesByConnection | undefined> {
  if (facts.reused < FEWEST) return undefined;
  const place = `rank() OVER (PARTITION BY ${KIND} ORDER BY ms) + (count(*) OVER (PARTITION BY ${KIND}, ms) - 1) / 2 AS place`;
  const medians = CONNECTION_PHASES.map((name) => [name, `coalesce(median(${name}) FILTER (opened), 0)`]);
  const [most] = await database.all(
    ofKind(["opened", "NOT opened"], `(SELECT *, ${place} FROM (${REQUESTS}) WHERE ${OK} AND ms IS NOT NULL)`, {
      opened: "count(*) FILTER (opened)",
      openedMs: quantile(0.5, "opened"),
      reused: "count(*) FILTER (NOT opened)",
      reusedMs: quantile(0.5, "NOT opened"),
      rank: "avg(place) FILTER (opened)",
      ...Object.fromEntries(medians),
    }),
    z.object({ opened: n, openedMs: n, reused: n, reusedMs: n, rank: n, lookup: n, connect: n, tls: n }),
  );
  if (most === undefined) return undefined;
  const { rank, opened, openedMs, reused, reusedMs } = most;
  const all = opened + reused;
  const error = Math.sqrt(((all + 1) * reused) / (12 * opened));
  const differs = Math.abs(openedMs - reusedMs) > LEAST_DIFFERENCE * reusedMs;
  if (!differs || Math.abs(rank - (all + 1) / 2) <= BEYOND_CHANCE * error) return undefined;
  const phases = CONNECTION_PHASES.map((name) => ({ name, ms: most[name] })).toSorted(
    (one, other) => other.ms - one.ms,
  );
  return { opened, openedMs, reused, reusedMs, phases };
}
