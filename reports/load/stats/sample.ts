/** The values of a metric, of which only figures are kept: they are visited and sorted when a figure is first asked for. */

import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { type Ascending, ascending, type Values } from "./ascending.ts";
import { PageStore } from "./page-store.ts";
import { type CurvePoint, curve, curveRanks, type Distribution, describe, nearestRank } from "./quantiles.ts";

interface Summary {
  readonly count: number;
  /** In ascending order. */
  readonly sum: number;
  /** Values by rank from 1. */
  readonly ranked: ReadonlyMap<number, number>;
}

export class Sample {
  readonly #values: Values;
  readonly #store: PageStore;
  #summary: Summary | undefined;

  /** @param store where values go that are too many to be sorted at once */
  constructor(values: Values, store = new PageStore()) {
    this.#values = values;
    this.#store = store;
  }

  /** The sample of a list. */
  static of(list: Iterable<number>): Sample {
    return new Sample((take) => {
      for (const value of list) take(value);
    });
  }

  /** Each value changed. */
  map(change: (value: number) => number): Sample {
    return new Sample((take) => this.#values((value) => take(change(value))), this.#store);
  }

  /** The values of both. */
  with(other: Sample): Sample {
    return new Sample((take) => {
      this.#values(take);
      other.#values(take);
    }, this.#store);
  }

  get count(): number {
    return this.#figures().count;
  }

  /** NaN of an empty sample. */
  get max(): number {
    const { count, ranked } = this.#figures();
    return ranked.get(count) ?? Number.NaN;
  }

  /** Undefined when there are no values. */
  distribution(): Distribution | undefined {
    const { count, sum, ranked } = this.#figures();
    return describe(count, sum, (rank) => ranked.get(rank) ?? Number.NaN);
  }

  /** A quantile that is one of `QUANTILES`, by nearest rank, however small the sample is; NaN when it is empty. */
  quantile(perMille: number): number {
    const { count, ranked } = this.#figures();
    return ranked.get(nearestRank(count, perMille)) ?? Number.NaN;
  }

  /** How many values are larger. */
  over(limit: number): number {
    return this.countIf((value) => value > limit);
  }

  /** Of how many values this is true. */
  countIf(test: (value: number) => boolean): number {
    let count = 0;
    this.#values((value) => {
      if (test(value)) count += 1;
    });
    return count;
  }

  /** Values by rank from 1. */
  at(ranks: readonly number[]): ReadonlyMap<number, number> {
    const { ranked, count } = this.#figures();
    const isKnown = (rank: number): boolean => rank > count || ranked.has(rank);
    return ranks.every(isKnown) ? ranked : summarize(ascending(this.#values, this.#store), () => ranks).ranked;
  }

  /** The percentile curve of this sample and `more` larger ones whose values are not known. */
  curve(more: number): CurvePoint[] {
    const count = this.count + more;
    const ranked = this.at(curveRanks(count));
    return curve(count, (rank) => ranked.get(rank) ?? Number.NaN);
  }

  #figures(): Summary {
    this.#summary ??= summarize(ascending(this.#values, this.#store), (count) => [
      ...[1, count],
      ...QUANTILES.map(({ perMille }) => nearestRank(count, perMille)),
      ...curveRanks(count),
    ]);
    return this.#summary;
  }
}

/** @param ranksOf the ranks to keep the values of, by the size of the sample */
function summarize({ count, lists }: Ascending, ranksOf: (count: number) => readonly number[]): Summary {
  const wanted = Float64Array.from(new Set(ranksOf(count))).sort();
  const ranked = new Map<number, number>();
  let [sum, passed, next] = [0, 0, 0];
  for (const list of lists()) {
    for (const value of list) sum += value;
    for (let rank = wanted[next] ?? 0; rank > passed && rank <= passed + list.length; rank = wanted[next] ?? 0) {
      ranked.set(rank, list[rank - passed - 1] ?? Number.NaN);
      next += 1;
    }
    passed += list.length;
  }
  return { count, sum, ranked };
}
