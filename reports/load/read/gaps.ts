/**
 * Gaps between chunks, one by one: each with the instant at which it ended and the least and the most that it may truly be. They are
 * counted by value, so that percentiles of all of them are exact.
 */

import { holds, type Slo } from "../../../load/objectives/slo.ts";
import type { Database } from "../../tables/database.ts";
import { NUMBERED } from "../../tables/stored-requests.ts";
import { ValueCounts } from "../stats/value-counts.ts";
import { isOfShards, ownSql, type ShardGroup } from "./calls-sql.ts";
import { type ClockError, SLICE_MS } from "./clock-error.ts";
import { allOf, MEASURED } from "./measured-requests.ts";

/** Streams whose gaps count. */
const LISTED = "outcome = 'ok' AND len(gaps_us) > 0 AND NOT coalesce(list_contains(flags, 'buffered'), FALSE)";

/** The measured gaps of some shards as a query: `us` of each in microseconds, without its instant. @param columns more columns, of `call_lines` */
export const measuredGaps = (group: ShardGroup, columns: string): string =>
  `SELECT ${columns}, unnest(gaps_us) AS us FROM call_lines WHERE ${allOf(isOfShards(group, "shard", 0), LISTED, MEASURED)}`;

/** A gap, in microseconds. */
export interface Gap {
  readonly us: number;
  /** When it ended, since 1970. */
  readonly atUs: number;
  /** The least and the most that it may truly be, as far as the load generator was late. */
  readonly lowUs: number;
  readonly highUs: number;
}

interface WhichGaps {
  /** Which requests; absent: all. */
  readonly where?: string;
  /** Columns of the requests that are wanted, as DOUBLE. */
  readonly columns?: readonly string[];
  /** `call_lines`, or the stored requests where that table is not there yet. */
  readonly from?: "call_lines" | typeof NUMBERED;
  /** See `eachList`. */
  readonly afterSome?: () => Promise<void>;
}

/**
 * Calls what `of` returns for each request of some shards with each of its gaps, in the order of the records. By a program: a query
 * that adds up the gaps before each takes ten times as long. Gaps and columns are valid until the next ones.
 */
export async function eachGap(
  database: Database,
  group: ShardGroup,
  { where = "TRUE", columns = [], from = "call_lines", afterSome }: WhichGaps,
  of: (columns: Float64Array) => (gap: Gap) => void,
): Promise<void> {
  const isStored = from === NUMBERED;
  const gaps = group.clocks.map((clock) => new MovingGap(clock));
  const ofRequest = [...columns, `shard - ${group.first + (isStored ? 1 : 0)}`, "sent_us + coalesce(ttft_us, 0)"];
  await database.eachList(
    `SELECT ${ofRequest.map((column) => `CAST(${column} AS DOUBLE)`).join(", ")}, CAST(gaps_us AS DOUBLE[]) FROM ${from} WHERE ${allOf(isOfShards(group, "shard", isStored ? 1 : 0), LISTED, where)}`,
    (row, lengths) => {
      const take = of(row);
      const gap = gaps[row[columns.length] ?? 0];
      if (gap === undefined) return;
      gap.atUs = row[columns.length + 1] ?? Number.NaN;
      for (let index = 0; index < lengths.length; index += 1) {
        gap.us = lengths[index] ?? Number.NaN;
        gap.atUs += gap.us;
        take(gap);
      }
    },
    afterSome,
  );
}

const SLICE_US = SLICE_MS * 1_000;

/** The gaps of one load generator, one at a time. */
class MovingGap implements Gap {
  us = 0;
  atUs = 0;
  readonly #clock: ClockError;
  readonly #startedUs: number;
  /** How late a reading in each slice may have been. */
  readonly #latesUs: Float64Array;

  constructor(clock: ClockError) {
    this.#clock = clock;
    this.#startedUs = Math.round(clock.startedAt * 1_000);
    this.#latesUs = clock.slices.map((late) => Math.ceil(late * 1_000));
  }

  get lowUs(): number {
    const { us, atUs } = this;
    const { interruptions } = this.#clock;
    if (!interruptions.none && interruptions.overlaps((atUs - us) / 1_000, atUs / 1_000)) return 0;
    return Math.max(0, us - this.#lateUs(atUs));
  }

  get highUs(): number {
    return this.us + this.#lateUs(this.atUs - this.us);
  }

  #lateUs(instantUs: number): number {
    const slice = Math.trunc((instantUs - this.#startedUs) / SLICE_US);
    return this.#latesUs[Math.max(0, Math.min(this.#latesUs.length - 1, slice))] ?? 0;
  }
}

export const isOnGaps = ({ metric }: Pick<Slo, "metric">): boolean => metric === "icl";

/** Makes the table `gap_checks`: what the gaps of each request of some shards say of the bounds on gaps, a bit per bound. */
export async function makeGapChecks(database: Database, group: ShardGroup): Promise<void> {
  await database.run(
    "CREATE OR REPLACE TABLE gap_checks (n BIGINT, gap_met INTEGER, gap_broken INTEGER, gap_surely INTEGER, gap_near INTEGER)",
  );
  const bounds = group.bounds
    .map((bound, index) => ({ bound, bit: 1 << index }))
    .filter(({ bound }) => isOnGaps(bound));
  const checks: { readonly n: number; met: number; broken: number; surely: number; near: number }[] = [];
  const write = () =>
    database.append(
      "gap_checks",
      checks.splice(0).map(({ n, met, broken, surely, near }) => [n, met, broken, surely, near]),
    );
  await eachGap(database, group, { columns: ["n"], from: NUMBERED, afterSome: write }, ([n = 0]) => {
    const check = { n, met: 0, broken: 0, surely: 0, near: 0 };
    checks.push(check);
    return ({ us, lowUs, highUs }) => {
      for (const { bound, bit } of bounds) {
        const isMet = holds(us / 1_000, bound);
        const isNear = holds(lowUs / 1_000, bound) !== isMet || holds(highUs / 1_000, bound) !== isMet;
        if (isMet) check.met |= bit;
        else check.broken |= bit;
        if (isNear) check.near |= bit;
        else if (!isMet) check.surely |= bit;
      }
    };
  });
}

/** As many kinds of requests have counts that take memory and little time. */
const LARGE = 32;

/** Adds to `gap_counts` the measured gaps of some shards by value, as recorded (`pool`) and as they are at least and at most. */
export async function countGaps(database: Database, group: ShardGroup): Promise<void> {
  if (!group.has.lateness) {
    await database.run(
      `INSERT INTO gap_counts SELECT kind, 'pool' AS shape, TRUE AS listed, us, count(*) AS n FROM (${measuredGaps(group, "kind")}) GROUP BY kind, us`,
    );
    return;
  }
  const kinds = new Map<number, Readonly<Record<"pool" | "least" | "most", ValueCounts>>>();
  await eachGap(database, group, { where: MEASURED, columns: ["kind"] }, ([kind = 0]) => {
    const made = () => new ValueCounts(kinds.size >= LARGE);
    const counts = kinds.get(kind) ?? { pool: made(), least: made(), most: made() };
    kinds.set(kind, counts);
    return ({ us, lowUs, highUs }) => {
      counts.pool.add(us);
      counts.least.add(lowUs);
      counts.most.add(highUs);
    };
  });
  for (const [kind, counts] of kinds) {
    for (const [shape, values] of Object.entries(counts)) {
      await database.append("gap_counts", countRows(kind, shape, values));
    }
  }
}

function* countRows(kind: number, shape: string, values: ValueCounts): Generator<(string | number | boolean)[]> {
  for (const [us, n] of values.entries()) yield [kind, shape, true, us, n];
}

/** Adds the same of gaps out of a histogram, which does not say when each was: any may have the largest error of all. */
export async function addCountedGaps(database: Database, group: ShardGroup): Promise<void> {
  const largest = ownSql(group, "shard", (clock) => Math.ceil(clock.largest * 1_000));
  const counted = `SELECT kinds.kind, c.shard, gap_us, count AS n FROM counted_gaps AS c JOIN kinds ON kinds.op = c.op AND kinds.workload IS NOT DISTINCT FROM c.workload AND kinds.model IS NULL AND kinds.turn IS NULL WHERE ${isOfShards(group, "c.shard", 1)} AND c.phase = 'measure'`;
  const shape = (name: string, us: string): string =>
    `SELECT kind, '${name}' AS shape, FALSE AS listed, ${us} AS us, n FROM (${counted})`;
  const shapes = group.has.lateness
    ? [shape("least", `greatest(0, gap_us - ${largest})`), shape("most", `gap_us + ${largest}`)]
    : [];
  await database.run(`INSERT INTO gap_counts ${[shape("pool", "gap_us"), ...shapes].join(" UNION ALL ")}`);
}
