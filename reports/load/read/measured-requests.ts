/** The requests of a load: every figure of them is a query over the table `calls`. */

import { z } from "zod";
import { OPS } from "../../../contract/operations.ts";
import { CLIENT_FAULTS, type ClientFault } from "../../../formats/outcomes.ts";
import { literal, quoted } from "../../../lib/duckdb.mjs";
import { type MetricName, metric, STALL_MS } from "../../../load/objectives/metrics.ts";
import type { Database } from "../../tables/database.ts";
import { REQUEST_METRICS } from "../../tables/metric-sql.ts";
import { Counted } from "../stats/counted.ts";
import { Sample } from "../stats/sample.ts";
import { BANDED, HIGH_TPOT, lowColumn } from "./calls-sql.ts";
import type { ClockError } from "./clock-error.ts";

/** How many requests were sent, had a connection, had a response, and failed on the load generator's own machine. */
export interface Responses {
  readonly requests: number;
  readonly reached: number;
  readonly answered: number;
  readonly clientErrors: number;
}

/** Which requests are looked at, with their gaps: those of some operations, workloads or models; absent: all. */
export interface Rows {
  readonly ops?: readonly string[];
  readonly workloads?: readonly string[];
  readonly models?: readonly string[];
}

/** An interval of time in milliseconds since 1970, without its end; absent: as long as the load. */
export interface Due {
  readonly from?: number;
  readonly to?: number;
}

/** The same without their gaps. */
export interface SingleRows extends Rows {
  /** Of this turn of conversations. */
  readonly turn?: number;
  /** Of these load generators, by their number. */
  readonly shards?: readonly number[];
  /** Those that were due then. */
  readonly due?: Due;
}

const isAmong = (column: string, values: readonly (string | number)[] | undefined): string[] => {
  if (values === undefined) return [];
  const list = values.map((value) => (typeof value === "number" ? String(value) : literal(value)));
  return [list.length === 0 ? "FALSE" : `${column} IN (${list.join(", ")})`];
};

/** Conditions on the instant at which something was due. */
export const dueSql = ({ from, to }: Due = {}): string[] => [
  ...(from === undefined ? [] : [`scheduled_us >= ${Math.round(from * 1_000)}`]),
  ...(to === undefined ? [] : [`scheduled_us < ${Math.round(to * 1_000)}`]),
];

/** A condition that holds for all of these. */
export const allOf = (...conditions: readonly string[]): string =>
  conditions.length === 0 ? "TRUE" : conditions.map((each) => `(${each})`).join(" AND ");

/** The condition that a request is one of these. */
export const isOfSql = ({ ops, workloads, models, turn, shards, due }: SingleRows): string =>
  allOf(
    ...isAmong("op", ops),
    ...isAmong("workload", workloads),
    ...isAmong("model", models),
    ...(turn === undefined ? [] : [`turn = ${turn}`]),
    ...isAmong("shard", shards),
    ...dueSql(due),
  );

export const MEASURED = "phase = 'measure'";
/** Whether the metrics of a request count: those of one that was left are known, or absent. */
export const COUNTS = "outcome IN ('ok', 'left')";

/** What is counted of the gaps of some requests. */
export interface GapTotals {
  readonly pool: Counted;
  /** What each of them was at least, and at most. */
  readonly least: Counted;
  readonly most: Counted;
  /** Gaps that the records list, and that they only count because a histogram holds them. */
  readonly listed: number;
  readonly counted: number;
  /** Requests that have gaps. */
  readonly requests: number;
  /** Those longer than a stall; undefined once a record does not contain it. */
  readonly stalls: number | undefined;
  /** Those of them that the load generator cannot have made. */
  readonly certainStalls: number;
  /** Chunks that the target, or a proxy before it, sent together: what waited while the load generator was interrupted is not known to be. */
  readonly coalesced: number;
}

const count = z.number();
const shardCounts = z.object({ shard: count, requests: count, reached: count, answered: count, clientErrors: count });
const faultCounts = z.object({ shard: count, fault: z.enum(CLIENT_FAULTS), n: count });
const named = z.object({ name: z.string(), n: count });

/** What is known of all requests at once. */
interface Facts {
  readonly length: number;
  /** The highest number of a request; -1 without any. */
  readonly last: number;
  readonly reused: number;
  readonly resent: number;
  /** Measured requests that we cut off. */
  readonly cutOff: number;
  /** Requests that are turns of conversations. */
  readonly turns: number;
  /** Metrics that some request has. */
  readonly present: ReadonlySet<MetricName>;
  /** Operations of the measured phase. */
  readonly ops: readonly string[];
  /** Measured ok requests with each flag. */
  readonly flags: Readonly<Record<string, number>>;
  /** Measured requests whose client was to leave, and when; undefined without any. */
  readonly leaving: { readonly at: string; readonly requests: number } | undefined;
  readonly responses: readonly Responses[];
  /** Requests that failed on the machine of each shard, without those of the warm-up. */
  readonly clientFaults: readonly ReadonlyMap<ClientFault, number>[];
}

export const NO_RESPONSES: Responses = { requests: 0, reached: 0, answered: 0, clientErrors: 0 };

export class Requests {
  readonly database: Database;
  readonly facts: Facts;
  /** The largest error of any time, and how long load generators did not run in all; milliseconds. */
  readonly clocks: { readonly largest: number; readonly interruptedMs: number };
  readonly #samples = new Map<string, Sample>();
  readonly #gaps = new Map<string, Promise<GapTotals>>();
  #places: Promise<Uint32Array> | undefined;
  readonly #tokenSources = new Map<string, Promise<readonly z.infer<typeof named>[]>>();

  private constructor(database: Database, facts: Facts, clocks: readonly ClockError[]) {
    this.database = database;
    this.facts = facts;
    this.clocks = {
      largest: clocks.reduce((max, { largest }) => Math.max(max, largest), 0),
      interruptedMs: clocks.reduce((sum, { interruptedMs }) => sum + interruptedMs, 0),
    };
  }

  /** Those in the tables. */
  static async of(database: Database, clocks: readonly ClockError[]): Promise<Requests> {
    return new Requests(database, await factsOf(database, clocks.length), clocks);
  }

  get length(): number {
    return this.facts.length;
  }

  /** Ops that occur in the measured phase. */
  ops(): readonly string[] {
    return this.facts.ops;
  }

  /** Of one shard, requests of any phase. */
  responses(shard: number): Responses {
    return this.facts.responses[shard] ?? NO_RESPONSES;
  }

  /** The values of a metric over those rows of the measured phase that it is taken over; `rows` narrow them. */
  sample(name: MetricName, rows: SingleRows = {}): Sample {
    return this.#sample(quoted(name), name, rows);
  }

  /**
   * The least, or the most, that the values of a latency may truly be, as far as the load generator was late; undefined of a
   * metric that is none, and where it cannot have been measured too short.
   */
  bounds(name: MetricName, rows: SingleRows, end: "low" | "high"): Sample | undefined {
    if (!BANDED.includes(name) || this.clocks.largest === 0) return undefined;
    if (end === "high" && name !== "tpot") return undefined;
    const column = end === "high" ? HIGH_TPOT : lowColumn(name);
    return this.#sample(column, name, rows);
  }

  /**
   * Of the requests of the measured phase that we cut off: what their value of a metric is at least. Empty for metrics that
   * are not taken over ok requests.
   */
  unfinished(name: MetricName, rows: SingleRows = {}): Sample {
    const { over, ops } = metric(name);
    if (over === "all" || this.facts.cutOff === 0 || !this.facts.present.has(name)) return new Sample();
    const where = allOf(MEASURED, "outcome = 'cancelled_by_us'", isOfSql(rows), ...isAmong("op", ops));
    return this.#made(`SELECT coalesce(${quoted(name)}, 0) AS v FROM calls WHERE ${where}`);
  }

  #sample(column: string, name: MetricName, rows: SingleRows): Sample {
    return this.facts.present.has(name) ? this.#made(this.#sqlOf(column, name, rows)) : new Sample();
  }

  /** The condition that a measured request is one of these. Operations that are all that occur need not be looked at. */
  #isOf(rows: SingleRows): string {
    const { ops, ...others } = rows;
    return isOfSql(ops === undefined || this.facts.ops.every((op) => ops.includes(op)) ? others : rows);
  }

  #sqlOf(column: string, name: MetricName, rows: SingleRows, more = ""): string {
    const conditions = metric(name).over === "all" ? [] : [COUNTS];
    return `SELECT ${column} AS v${more} FROM calls WHERE ${allOf(MEASURED, ...conditions, `${column} IS NOT NULL`, this.#isOf(rows))}`;
  }

  /**
   * The values of a sample in the order of time: by when their requests were due.
   * @param room as many values as requests have numbers; those that are returned are in it
   */
  async inTime(name: MetricName, rows: Rows, room: Float64Array): Promise<Float64Array> {
    const places = await this.places();
    room.fill(Number.NaN);
    // In no order: to sort the places once takes less than to sort the values of each metric.
    await this.database.eachNumbers(this.#sqlOf(quoted(name), name, rows, ", CAST(n AS DOUBLE)"), (row) => {
      room[places[row[1] ?? 0] ?? 0] = row[0] ?? Number.NaN;
    });
    let count = 0;
    for (let place = 0; place < room.length; place += 1) {
      const value = room[place] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      room[count] = value;
      count += 1;
    }
    return room.subarray(0, count);
  }

  /** Samples keep their figures. */
  #made(sql: string): Sample {
    const known = this.#samples.get(sql) ?? new Sample(this.database, sql);
    this.#samples.set(sql, known);
    return known;
  }

  /**
   * How many values of that sample are independent: those of the turns of one conversation are not, so that there are as many of
   * conversations as of the turn that most of them have; undefined where there are no conversations, and each value is.
   */
  async independent(name: MetricName, rows: SingleRows = {}): Promise<number | undefined> {
    if (this.facts.turns === 0) return undefined;
    const where = allOf(
      MEASURED,
      ...(metric(name).over === "all" ? [] : [COUNTS]),
      `${quoted(name)} IS NOT NULL`,
      isOfSql(rows),
    );
    const turns = await this.database.all(
      `SELECT turn, count(*) AS n FROM calls WHERE ${where} GROUP BY turn`,
      z.object({ turn: count.nullable(), n: count }),
    );
    const single = turns.find(({ turn }) => turn === null)?.n ?? 0;
    return single + turns.reduce((most, { turn, n }) => (turn === null ? most : Math.max(most, n)), 0);
  }

  /** The gaps of all requests that have any, or of some of them. */
  gaps({ ops, workloads, models }: Rows = {}): Promise<GapTotals> {
    const where = this.#isOf({ ...(ops && { ops }), ...(workloads && { workloads }), ...(models && { models }) });
    const known = this.#gaps.get(where) ?? gapTotals(this.database, where, this.clocks.largest > 0);
    this.#gaps.set(where, known);
    return known;
  }

  /** How many ok requests of the measured phase had their output tokens counted in which way. */
  async tokenSources(rows: Rows = {}): Promise<Record<string, number>> {
    const where = allOf(
      MEASURED,
      "outcome = 'ok'",
      "output_tokens IS NOT NULL",
      "token_source IS NOT NULL",
      this.#isOf(rows),
    );
    const known =
      this.#tokenSources.get(where) ??
      this.database.all(
        `SELECT token_source AS name, count(*) AS n FROM calls WHERE ${where} GROUP BY token_source ORDER BY min(n)`,
        named,
      );
    this.#tokenSources.set(where, known);
    return Object.fromEntries((await known).map(({ name, n }) => [name, n]));
  }

  /** The place of each measured request in the order of time, by its number: by when it was due. */
  places(): Promise<Uint32Array> {
    this.#places ??= placesOf(this.database, this.facts.last);
    return this.#places;
  }
}

async function placesOf(database: Database, last: number): Promise<Uint32Array> {
  const places = new Uint32Array(last + 1);
  let place = 0;
  const inOrder = `SELECT CAST(n AS DOUBLE) FROM calls WHERE ${MEASURED} ORDER BY scheduled_us, n`;
  await database.eachNumbers(inOrder, (row) => {
    places[row[0] ?? 0] = place;
    place += 1;
  });
  return places;
}

async function factsOf(database: Database, shards: number): Promise<Facts> {
  const [all] = await database.all(
    `SELECT count(*) AS length, coalesce(max(n), -1) AS last, count(*) FILTER (reused) AS reused, count(*) FILTER (${MEASURED} AND outcome = 'cancelled_by_us') AS "cutOff", CAST(coalesce(sum(resent), 0) AS DOUBLE) AS resent,
      list(DISTINCT op) FILTER (${MEASURED}) AS ops, arg_min(leave, n) FILTER (${MEASURED} AND leave IS NOT NULL) AS "leftAt", count(leave) FILTER (${MEASURED}) AS leaving, count(turn) AS turns,
      ${REQUEST_METRICS.map((name) => `count(${quoted(name)}) AS ${quoted(name)}`).join(", ")} FROM calls`,
    z.looseObject({
      ...{ length: count, last: count, reused: count, resent: count, cutOff: count, leaving: count, turns: count },
      ops: z.array(z.string()).nullable(),
      leftAt: z.string().nullable(),
    }),
  );
  const {
    length = 0,
    last = -1,
    reused = 0,
    resent = 0,
    cutOff = 0,
    leaving = 0,
    turns = 0,
    leftAt,
    ops,
    ...counts
  } = all ?? {};
  const some: Readonly<Record<string, unknown>> = counts;
  const flags = await database.all(
    `SELECT name, count(*) AS n FROM (SELECT unnest(flags) AS name FROM call_lines WHERE ${MEASURED} AND outcome = 'ok') GROUP BY name ORDER BY name`,
    named,
  );
  const byShard = await database.all(
    `SELECT shard, count(*) AS requests, count(*) FILTER (reached) AS reached, count(*) FILTER (answered) AS answered, count(*) FILTER (outcome = 'client_error') AS "clientErrors" FROM calls GROUP BY shard`,
    shardCounts,
  );
  const faults = byShard.every(({ clientErrors }) => clientErrors === 0)
    ? []
    : await database.all(
        `SELECT shard, coalesce(client_fault, 'route') AS fault, count(*) AS n FROM calls WHERE outcome = 'client_error' AND phase <> 'warmup' GROUP BY ALL ORDER BY min(n)`,
        faultCounts,
      );
  const numbers = Array.from({ length: shards }, (_, shard) => shard);
  return {
    length,
    last,
    reused,
    resent,
    cutOff,
    turns,
    present: new Set(REQUEST_METRICS.filter((name) => some[name] !== 0)),
    ops: OPS.filter((op) => ops?.includes(op)),
    flags: Object.fromEntries(flags.map(({ name, n }) => [name, n])),
    leaving: leftAt == null ? undefined : { at: leftAt, requests: leaving },
    responses: numbers.map((shard) => byShard.find((each) => each.shard === shard) ?? NO_RESPONSES),
    clientFaults: numbers.map(
      (shard) => new Map(faults.filter((each) => each.shard === shard).map(({ fault, n }) => [fault, n])),
    ),
  };
}

/** As they were recorded, and as they are at least and at most, where these differ. */
const SHAPES = ["pool", "least", "most"] as const;
const NO_GAPS = new Counted([], []);

/** Of the gaps that the records list, those that certainly were stalls. */
async function listedStalls(database: Database, ofKinds: string, isLate: boolean): Promise<number> {
  const [found] = await database.all(
    `SELECT CAST(coalesce(sum(n), 0) AS DOUBLE) AS stalls FROM gap_counts
      WHERE shape = '${isLate ? "least" : "pool"}' AND listed AND us > ${STALL_MS * 1_000} AND ${ofKinds}`,
    z.object({ stalls: count }),
  );
  return found?.stalls ?? 0;
}

/** By how much a gap that a histogram counted may differ from the value that it is counted as. */
async function histogramError(database: Database): Promise<number> {
  const [found] = await database.all(
    `SELECT coalesce(max(error), 0) AS error FROM counted_gaps WHERE phase = 'measure'`,
    z.object({ error: count }),
  );
  return found?.error ?? 0;
}

async function gapTotals(database: Database, where: string, isLate: boolean): Promise<GapTotals> {
  const [found] = await database.all(
    `SELECT CAST(coalesce(sum(gaps) FILTER (listed), 0) AS DOUBLE) AS listed, CAST(coalesce(sum(gaps) FILTER (NOT listed), 0) AS DOUBLE) AS counted,
      count(*) FILTER (gaps > 0) AS requests, count(*) AS streams, count(stalls) AS told, CAST(coalesce(sum(stalls), 0) AS DOUBLE) AS stalls,
      CAST(coalesce(sum(coalesced) FILTER (NOT is_hit), 0) AS DOUBLE) AS coalesced,
      CAST(coalesce(sum(stalls) FILTER (NOT listed AND NOT is_hit), 0) AS DOUBLE) AS certain
      FROM calls WHERE ${allOf(MEASURED, "outcome = 'ok'", "has_gaps", where)}`,
    z.object({
      ...{ listed: count, counted: count, requests: count, streams: count },
      ...{ told: count, stalls: count, coalesced: count, certain: count },
    }),
  );
  const ofKinds = `kind IN (SELECT kind FROM kinds WHERE ${where})`;
  const error = found?.counted ? await histogramError(database) : 0;
  const shapes = SHAPES.map(() => ({ values: [] as number[], counts: [] as number[] }));
  await database.eachNumbers(
    `SELECT CAST(list_position([${SHAPES.map(literal).join(", ")}], shape) AS DOUBLE), us / 1000, CAST(sum(n) AS DOUBLE) FROM gap_counts WHERE ${ofKinds} GROUP BY shape, us ORDER BY shape, us`,
    ([shape = 0, value = 0, n = 0]) => {
      shapes[shape - 1]?.values.push(value);
      shapes[shape - 1]?.counts.push(n);
    },
  );
  const [pool = NO_GAPS, least = pool, most = pool] = shapes
    .map(({ values, counts }) => new Counted(values, counts, error))
    .filter(({ count: some }, index) => index === 0 || some > 0);
  const {
    listed = 0,
    counted = 0,
    requests = 0,
    streams = 0,
    told = 0,
    stalls = 0,
    coalesced = 0,
    certain = 0,
  } = found ?? {};
  return {
    pool,
    least,
    most,
    listed,
    counted,
    requests,
    stalls: told === streams ? stalls : undefined,
    certainStalls: counted === 0 ? least.over(STALL_MS) : certain + (await listedStalls(database, ofKinds, isLate)),
    coalesced,
  };
}
