/** The values of a metric as a query: figures of them are computed by the database when they are asked for. */

import { z } from "zod";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import type { Database } from "../../tables/database.ts";
import { Counted } from "./counted.ts";
import { FloatVector } from "./float-vector.ts";
import { CURVE_PER_MILLE, type CurvePoint, curve, type Distribution, describe, nearestRank } from "./quantiles.ts";
import { selectRanks } from "./select-ranks.ts";

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
    const values = await valuesOf(this.#database, this.#values);
    selectRanks(values, wanted);
    return new Map([...ranked, ...wanted.map((rank) => [rank, values[rank - 1] ?? Number.NaN] as const)]);
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
    return summaryOf(await valuesOf(database, this.#values));
  }

  /** Takes the values from who has read them, and puts them into another order. @param ranks what else will be asked for */
  take(values: Float64Array, ranks: readonly number[]): void {
    this.#summary ??= Promise.resolve(summaryOf(values, ranks));
  }
}

async function valuesOf(database: Database, query: string): Promise<Float64Array> {
  const values = new FloatVector();
  await database.eachNumbers(query, (row) => values.push(row[0] ?? Number.NaN));
  return values.view();
}

function summaryOf(values: Float64Array, ranks: readonly number[] = []): Summary {
  const { length: count } = values;
  if (count === 0) return NONE;
  const wanted = [...new Set([1, ...PER_MILLE.map((perMille) => nearestRank(count, perMille)), ...ranks, count])];
  selectRanks(
    values,
    wanted.sort((a, b) => a - b),
  );
  const ranked = new Map(wanted.map((rank) => [rank, values[rank - 1] ?? Number.NaN] as const));
  return { count, sum: sumOf(values) / PARTS, ranked };
}

/** Whole numbers below are added without a rounding error. */
const EXACT = 2 ** 52;

/** The sum in parts of a unit, which does not depend on the order of the values. */
function sumOf(values: Float64Array): number {
  let [sum, part] = [0n, 0];
  for (let index = 0; index < values.length; index += 1) {
    const parts = Math.round((values[index] ?? 0) * PARTS);
    if (Math.abs(part) + Math.abs(parts) < EXACT) part += parts;
    else {
      sum += BigInt(part);
      part = parts;
    }
  }
  return Number(sum + BigInt(part));
}
