/** The values of a metric as a query: figures of them are computed by the database when they are asked for. */

import { z } from "zod";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import type { Database } from "../../tables/database.ts";
import { Counted } from "./counted.ts";
import { CURVE_PER_MILLE, type CurvePoint, curve, type Distribution, describe, nearestRank } from "./quantiles.ts";

/** What is known of all values: how many they are, their sum, and values by rank from 1. */
export interface Summary {
  readonly count: number;
  readonly sum: number;
  readonly ranked: ReadonlyMap<number, number>;
}

/** Every percentile that is asked for, in thousandths. */
const PER_MILLE: readonly number[] = [
  ...new Set([...QUANTILES.map(({ perMille }) => perMille), ...CURVE_PER_MILLE]),
].sort((a, b) => a - b);

/** Parts of a unit that sums are exact to, whatever the order of the values. */
const PARTS = 1_000_000;

const figures = z.object({
  /** Number of the sample. */
  of: z.number(),
  count: z.number(),
  sum: z.number(),
  min: z.number(),
  max: z.number(),
  ranked: z.array(z.number()),
});

const NONE: Summary = { count: 0, sum: 0, ranked: new Map() };

export class Sample {
  readonly #database: Database | undefined;
  /** A query with one column, `v`, a DOUBLE without NULL. */
  readonly #values: string;
  #summary: Promise<Summary> | undefined;

  /** @param values a query with one column, `v`: a DOUBLE that is not NULL; absent: none */
  constructor(database?: Database, values?: string) {
    this.#database = values === undefined ? undefined : database;
    this.#values = values ?? "";
  }

  /** The values of both. */
  with(other: Sample): Sample {
    if (this.#database === undefined) return other;
    if (other.#database === undefined) return this;
    return new Sample(this.#database, `${this.#values} UNION ALL ${other.#values}`);
  }

  /** Each value less an amount, and not below 0. */
  less(amount: number): Sample {
    if (amount === 0 || this.#database === undefined) return this;
    return new Sample(this.#database, `SELECT greatest(0, v - ${amount}) AS v FROM (${this.#values})`);
  }

  get count(): Promise<number> {
    return this.#figures().then(({ count }) => count);
  }

  /** Undefined when there are no values. */
  async distribution(): Promise<Distribution | undefined> {
    const { count, sum, ranked } = await this.#figures();
    return describe(count, sum, (rank) => ranked.get(rank) ?? Number.NaN);
  }

  /** Of how many values a condition on `v` is true. */
  async countIf(condition: string): Promise<number> {
    if (this.#database === undefined) return 0;
    const [found] = await this.#database.all(
      `SELECT count(*) AS count FROM (${this.#values}) WHERE ${condition}`,
      z.object({ count: z.number() }),
    );
    return found?.count ?? 0;
  }

  /** Values by rank from 1. */
  async at(ranks: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const { ranked, count } = await this.#figures();
    const wanted = [...new Set(ranks)].filter((rank) => rank >= 1 && rank <= count && !ranked.has(rank));
    if (wanted.length === 0 || this.#database === undefined) return ranked;
    // Half a rank before it, no rounding makes another of it.
    const shares = wanted.map((rank) => `${(rank - 0.5) / count}`);
    const [found] = await this.#database.all(
      `SELECT quantile_disc(v, [${shares.join(", ")}]::DOUBLE[]) AS ranked FROM (${this.#values})`,
      z.object({ ranked: z.array(z.number()) }),
    );
    return new Map([...ranked, ...wanted.map((rank, index) => [rank, found?.ranked[index] ?? Number.NaN] as const)]);
  }

  /** The percentile curve of this sample and `more` larger ones whose values are not known. */
  async curve(more: number): Promise<CurvePoint[]> {
    const count = (await this.count) + more;
    const ranks = CURVE_PER_MILLE.map((perMille) => nearestRank(count, perMille));
    const ranked = await this.at(ranks);
    return curve(count, (rank) => ranked.get(rank) ?? Number.NaN);
  }

  /** Every different value, with how often it occurs. */
  async counted(): Promise<Counted> {
    const [values, counts]: [number[], number[]] = [[], []];
    await this.#database?.eachNumbers(
      `SELECT v, CAST(count(*) AS DOUBLE) FROM (${this.#values}) GROUP BY v ORDER BY v`,
      ([value = 0, count = 0]) => {
        values.push(value);
        counts.push(count);
      },
    );
    return new Counted(values, counts);
  }

  #figures(): Promise<Summary> {
    this.#summary ??= this.#database === undefined ? Promise.resolve(NONE) : this.#summarized(this.#database);
    return this.#summary;
  }

  async #summarized(database: Database): Promise<Summary> {
    const [summary] = await summariesOf(database, [this.#values]);
    return summary ?? NONE;
  }

  /** Computes the figures of samples whose figures are not known yet at once: a query of its own takes longer for each. */
  static async summarizeAll(database: Database, samples: readonly Sample[]): Promise<void> {
    const missing = samples.filter((sample) => sample.#database !== undefined && sample.#summary === undefined);
    const summaries = await summariesOf(
      database,
      missing.map((sample) => sample.#values),
    );
    for (const [index, sample] of missing.entries()) sample.#summary = Promise.resolve(summaries[index] ?? NONE);
  }
}

/** The figures of the values of each query, in the order of the queries. */
async function summariesOf(database: Database, queries: readonly string[]): Promise<readonly Summary[]> {
  if (queries.length === 0) return [];
  const all = queries.map((values, index) => `SELECT ${index} AS "of", v FROM (${values})`).join(" UNION ALL ");
  // As decimals, so that ranks are computed in whole numbers: the nearest rank, exactly.
  const shares = PER_MILLE.map((perMille) => (perMille / 1_000).toFixed(3)).join(", ");
  const found = await database.all(
    `SELECT "of", count(*) AS count, CAST(sum(CAST(round(v * ${PARTS}) AS BIGINT)) AS DOUBLE) AS sum, min(v) AS min, max(v) AS max, quantile_disc(v, [${shares}]) AS ranked FROM (${all}) GROUP BY "of"`,
    figures,
  );
  const summaries = queries.map(() => NONE);
  for (const { of, ...own } of found) summaries[of] = summaryOf(own);
  return summaries;
}

/** What these figures say. */
function summaryOf({ count, sum, min, max, ranked }: Omit<z.infer<typeof figures>, "of">): Summary {
  const known = new Map<number, number>();
  for (const [index, perMille] of PER_MILLE.entries()) {
    const value = ranked[index];
    if (value !== undefined) known.set(nearestRank(count, perMille), value);
  }
  return { count, sum: sum / PARTS, ranked: known.set(1, min).set(count, max) };
}
