/** What two sides measured of one metric: its values, and the change between them. */

import { type MetricName, metric } from "../../load/objectives/metrics.ts";
import type { Gate, Quantile } from "./gates.ts";
import { type LatencySamples, latencySamples, rateOf, type Side, shareOf, surplusFailures } from "./side-samples.ts";
import type { BlockResamples } from "./stats/block-resamples.ts";
import { type Change, logOf } from "./stats/change.ts";
import { quantileChange, quantileInterval, type SampleBounds, type ScaleOf } from "./stats/quantile-change.ts";
import { rateChange } from "./stats/rate-change.ts";
import { withRunToRun } from "./stats/run-to-run.ts";
import { type BlockedShare, shareChange } from "./stats/share-change.ts";

/** One of each side of a comparison. */
export interface Sides<T = Side> {
  readonly base: T;
  readonly new: T;
}

export const both = <T, U>({ base, new: next }: Sides<T>, of: (side: T) => U): Sides<U> => ({
  base: of(base),
  new: of(next),
});

/** The same of what takes time. */
const bothOf = async <T, U>({ base, new: next }: Sides<T>, of: (side: T) => Promise<U>): Promise<Sides<U>> => ({
  base: await of(base),
  new: await of(next),
});

type Value = number | null;
/** The least and the most that a value can be. */
type Bounds = readonly [least: number, most: number];

/** What the sides measured of a metric; null stands for a value that is not measurable. */
export interface GateData {
  readonly values: Sides<Value>;
  /** Between which values that of a side lies where it is not measurable; of a percentile. */
  readonly bounds?: Sides<Bounds>;
  /** Of each run. */
  readonly perRun: Sides<readonly Value[]>;
  /** The change, or why there is none. */
  readonly change: Change | string;
}

/** The data of both sides; samples are gathered once per metric. */
export class ComparedSides {
  readonly #sides: Sides;
  readonly #resamples: BlockResamples;
  readonly #latencies = new Map<MetricName, Promise<Sides<LatencySamples>>>();
  readonly #latenciesPerRun = new Map<MetricName, Promise<Sides<LatencySamples[]>>>();

  constructor(sides: Sides, resamples: BlockResamples) {
    this.#sides = sides;
    this.#resamples = resamples;
  }

  /** Gathers what a gate looks at. */
  async dataOf({ metric: name, quantile }: Gate): Promise<GateData> {
    if (quantile !== undefined) return this.#ofQuantile(name, quantile);
    const missing = this.#sides.base.runs
      .concat(this.#sides.new.runs)
      .some(({ run }) => run.metrics[name]?.value === undefined);
    if (missing) return { values: NONE, perRun: { base: [], new: [] }, change: notMeasured(name) };
    return name === "error_rate" || name === "goodput_share" ? this.#ofShare(name) : this.#ofRate(name);
  }

  /** The samples of a latency. */
  latencies(name: MetricName): Promise<Sides<LatencySamples>> {
    const known = this.#latencies.get(name) ?? this.#gathered(name);
    this.#latencies.set(name, known);
    return known;
  }

  /** The samples of a latency, of each run alone. */
  #ofEachRun(name: MetricName): Promise<Sides<LatencySamples[]>> {
    const known =
      this.#latenciesPerRun.get(name) ?? this.#perRun((run) => latencySamples(run, name, this.#resamples.blocks, []));
    this.#latenciesPerRun.set(name, known);
    return known;
  }

  /** The change of a quantile of a latency on a scale. @param share the quantile, from 0 to 1 */
  async quantileChange(name: MetricName, share: number, scaleOf: ScaleOf): Promise<Change> {
    const samples = await this.latencies(name);
    const change = quantileChange(samples.base, samples.new, share, this.#resamples, scaleOf);
    const values = both(await this.#ofEachRun(name), (runs) =>
      runs.map((each) => scaleOf(measured(each, share) ?? Number.NaN)),
    );
    return withRunToRun(change, values.base, values.new);
  }

  /** Where a quantile of one side lies. @param alpha the probability that it lies outside */
  quantileInterval(side: SampleBounds, share: number, alpha: number): readonly [number, number] {
    return quantileInterval(side, share, this.#resamples, alpha);
  }

  async #gathered(name: MetricName): Promise<Sides<LatencySamples>> {
    const { base, new: next } = this.#sides;
    const { blocks } = this.#resamples;
    return {
      base: await latencySamples(base, name, blocks, await surplusFailures(base, next, name, blocks)),
      new: await latencySamples(next, name, blocks, await surplusFailures(next, base, name, blocks)),
    };
  }

  async #ofQuantile(name: MetricName, { perMille, minSamples }: Quantile): Promise<GateData> {
    const share = perMille / 1_000;
    const samples = await this.latencies(name);
    const perRun = both(await this.#ofEachRun(name), (runs) => runs.map((each) => measured(each, share)));
    const bounds = both(samples, ({ low, high }): Bounds => [low.quantile(share), high.quantile(share)]);
    const data = { values: both(samples, (each) => measured(each, share)), bounds, perRun };
    const few = [samples.base, samples.new].find(({ independent }) => independent < minSamples);
    if (few?.independent === 0) return { ...data, change: notMeasured(name) };
    if (few !== undefined) {
      return {
        ...data,
        change: `too few ${name === "icl" ? "requests with gaps" : "samples"}: ${few.independent} of ${minSamples}`,
      };
    }
    return { ...data, change: await this.quantileChange(name, share, logOf) };
  }

  async #ofShare(name: "error_rate" | "goodput_share"): Promise<GateData> {
    const shares = await bothOf(this.#sides, (side) => shareOf(side, name, this.#resamples.blocks));
    const perRun = await this.#perRun(async (run) => shareIn(await shareOf(run, name, this.#resamples.blocks)));
    const change = shareChange(shares.base, shares.new);
    return { values: both(shares, shareIn), perRun, change: withRunToRun(change, perRun.base, perRun.new) };
  }

  async #ofRate(name: MetricName): Promise<GateData> {
    const rates = await bothOf(this.#sides, (side) => rateOf(side, name, this.#resamples.blocks));
    const perRun = await this.#perRun(async (run) => (await rateOf(run, name, this.#resamples.blocks)).value);
    const values = both(rates, ({ value }) => value);
    if (values.base === 0 || values.new === 0) return { values, perRun, change: "0 on one side: no ratio exists" };
    const change = rateChange(rates.base, rates.new, this.#resamples);
    return { values, perRun, change: withRunToRun(change, perRun.base.map(logOf), perRun.new.map(logOf)) };
  }

  /** The value of each run alone. */
  #perRun<V>(value: (run: Side) => Promise<V>): Promise<Sides<V[]>> {
    return bothOf(this.#sides, async ({ runs }) => {
      const values: V[] = [];
      for (const run of runs) values.push(await value({ runs: [run] }));
      return values;
    });
  }
}

/** A quantile; null where what is not known could change it. */
function measured({ low, high }: LatencySamples, share: number): Value {
  const value = low.quantile(share);
  return Number.isFinite(value) && value === high.quantile(share) ? value : null;
}

const NONE = { base: null, new: null };

const notMeasured = (name: MetricName): string => {
  const { requires } = metric(name);
  return requires === undefined ? "not measured in every run" : `needs ${requires}`;
};

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
const shareIn = ({ part, whole }: BlockedShare): number => sumOf(part) / sumOf(whole);
