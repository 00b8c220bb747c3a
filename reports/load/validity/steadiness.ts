/**
 * Whether a target was equally fast over the measured window: a cold start, a step or a drift makes figures that hold for no part
 * of it. Pure.
 *
 * The window is cut into blocks of equal time. Each has the mean rank of its latencies among all of their kind, which neither heavy
 * tails nor several kinds of requests disturb, and the logarithm of its median, which grows with a change where ranks do not: the
 * larger change counts. The blocks are compared in two ways: those before an instant with those after it, for
 * every instant, and with a straight line. What chance alone does is estimated from the blocks themselves, with how alike
 * neighbours are, so that the ups and downs of a queue count as one. A difference must be certain, and large enough to matter.
 * Simulations say how often a steady target is said not to be, and how often a cold one is found.
 */

import { LogHistogram } from "../stats/log-histogram.ts";
import { LIMITS } from "./limits.ts";

/** A latency: when its request was due, in seconds from the begin of the measured window, and how large it is. */
export interface TimedLatency {
  readonly atS: number;
  readonly ms: number;
  /** Latencies are compared with those of the same kind, such as of the same operation. */
  readonly kind: number;
  /** How many are of this size then; absent: one. */
  readonly count?: number;
}

/** Calls `take` with each latency, the same at each call. */
export type TimedLatencies = (take: (latency: TimedLatency) => void) => void;

/** What changed, and when the rest of the window begins in which nothing does. */
export interface Unsteady {
  /** Seconds from the begin of the measured window; absent: no part at its end that is long enough is steady. */
  readonly sinceS?: number;
  /** Median before, as a multiple of the median afterwards; of a drift, of the first and the last quarter. */
  readonly ratio: number;
  /** Whether it changed at once or little by little. */
  readonly form: "step" | "drift";
  /** These medians; absent of several kinds of requests. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export type Steadiness = { readonly isSteady: true } | ({ readonly isSteady: false } & Unsteady);

const { blocks: BLOCKS, blockLatencies, certain, ratio: LEAST_RATIO, leastBlocks } = LIMITS.steadiness;

/** Values are kept as multiples of the median of their kind, in millionths. */
const SCALE = 1e6;

/**
 * Looks for a change.
 * @param seconds length of the measured window
 * @returns undefined where there are too few latencies to say
 */
export function steadinessOf(latencies: TimedLatencies, seconds: number): Steadiness | undefined {
  if (!(seconds > 0)) return undefined;
  const kinds = new Map<number, LogHistogram>();
  latencies(({ ms, kind, count }) => histogramIn(kinds, kind).add(ms * 1_000, count));
  const medians = new Map([...kinds].map(([kind, all]) => [kind, all.quantile(0.5)] as const));
  const blocks = Array.from({ length: BLOCKS }, () => new LogHistogram());
  latencies(({ atS, ms, kind, count }) => {
    const median = medians.get(kind) ?? 0;
    const block = Math.min(Math.max(Math.floor((atS / seconds) * BLOCKS), 0), BLOCKS - 1);
    if (median > 0) blocks[block]?.add((ms * 1_000 * SCALE) / median, count);
  });
  if (blocks.some(({ count }) => count < blockLatencies)) return undefined;
  const levels = [ranksOf(blocks), blocks.map((block) => Math.log(block.quantile(0.5)))];
  const change = lastChange(levels, blocks);
  if (change === undefined) return { isSteady: true };
  const [only] = medians.size === 1 ? medians.values() : [];
  const { since, from, to, form } = change;
  return {
    isSteady: false,
    ...(since !== undefined && { sinceS: (since * seconds) / BLOCKS }),
    ratio: from / to,
    form,
    ...(only !== undefined && { fromMs: (from / SCALE) * (only / 1_000), toMs: (to / SCALE) * (only / 1_000) }),
  };
}

function histogramIn(all: Map<number, LogHistogram>, kind: number): LogHistogram {
  const known = all.get(kind) ?? new LogHistogram();
  all.set(kind, known);
  return known;
}

const joined = (blocks: readonly LogHistogram[]): LogHistogram => {
  const all = new LogHistogram();
  for (const block of blocks) all.merge(block);
  return all;
};

const medianOf = (blocks: readonly LogHistogram[]): number => joined(blocks).quantile(0.5);

/** The mean rank of each block among all values, from 0 to 1. */
function ranksOf(blocks: readonly LogHistogram[]): number[] {
  const all = joined(blocks);
  const ranks = new Map<number, number>();
  let passed = 0;
  for (const { from, count } of all.classes()) {
    ranks.set(from, (passed + count / 2) / all.count);
    passed += count;
  }
  return blocks.map((block) => {
    let sum = 0;
    for (const { from, count } of block.classes()) sum += (ranks.get(from) ?? 0) * count;
    return sum / block.count;
  });
}

interface Change {
  readonly since: number | undefined;
  readonly from: number;
  readonly to: number;
  readonly form: Unsteady["form"];
}

/** What is compared of each block, one list per measure. */
type Levels = readonly (readonly number[])[];

/** The largest change, and the first block after which there is none. */
function lastChange(levels: Levels, blocks: readonly LogHistogram[]): Change | undefined {
  let first: Omit<Change, "since"> | undefined;
  let since = 0;
  while (BLOCKS - since >= leastBlocks) {
    const found = changeIn(
      levels.map((each) => each.slice(since)),
      blocks.slice(since),
    );
    if (found === undefined) return first && { ...first, since };
    first ??= found;
    // Of a drift, a quarter of what is left is tried without.
    since += found.at;
  }
  return first && { ...first, since: undefined };
}

/** The step, or else the drift, that some blocks certainly show; undefined when there is none. */
function changeIn(levels: Levels, blocks: readonly LogHistogram[]) {
  const quarter = Math.max(1, Math.round(blocks.length / 4));
  const candidates = levels
    .flatMap((level) => {
      const step = bestStep(level);
      const drift = { at: quarter, score: lineOf(level).score, parts: [quarter, blocks.length - quarter] as const };
      return [
        { form: "step" as const, ...step, parts: [step.at, step.at] as const },
        { form: "drift" as const, ...drift },
      ];
    })
    .sort((a, b) => b.score - a.score);
  for (const { form, at, score, parts } of candidates) {
    if (score < certain) continue;
    const [from, to] = [medianOf(blocks.slice(0, parts[0])), medianOf(blocks.slice(parts[1]))];
    if (Math.max(from / to, to / from) >= LEAST_RATIO) return { form, at, from, to };
  }
  return undefined;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Fewest blocks on either side of a step. */
const SIDE = 2;
/** Share of the blocks that are enough to tell what chance does. */
const LONG_SIDE = 2 / 3;

/** The split whose sides differ most, by how many standard errors. */
function bestStep(ranks: readonly number[]): { readonly at: number; readonly score: number } {
  let best = { at: 0, score: 0 };
  for (let at = SIDE; at <= ranks.length - SIDE; at += 1) {
    const [before, after] = [mean(ranks.slice(0, at)), mean(ranks.slice(at))];
    const rest = ranks.map((rank, index) => rank - (index < at ? before : after));
    // A warm-up that fades out is no noise: where it is the shorter side, the other alone tells what chance does, too.
    const calm =
      ranks.length - at >= LONG_SIDE * ranks.length ? longVariance(rest.slice(at), 1) : Number.POSITIVE_INFINITY;
    const error = Math.sqrt(Math.min(longVariance(rest, 2), calm) * (1 / at + 1 / (ranks.length - at)));
    const score = error === 0 ? (before === after ? 0 : Number.POSITIVE_INFINITY) : Math.abs(after - before) / error;
    if (score > best.score) best = { at, score };
  }
  return best;
}

/** The slope of a straight line through the ranks, in standard errors. */
function lineOf(ranks: readonly number[]): { readonly score: number } {
  const middle = (ranks.length - 1) / 2;
  const level = mean(ranks);
  const width = ranks.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const slope = ranks.reduce((sum, rank, index) => sum + (rank - level) * (index - middle), 0) / width;
  const rest = ranks.map((rank, index) => rank - level - slope * (index - middle));
  const error = Math.sqrt(longVariance(rest, 2) / width);
  return { score: error === 0 ? (slope === 0 ? 0 : Number.POSITIVE_INFINITY) : Math.abs(slope) / error };
}

/** More than this of neighbours being alike cannot be told from so few blocks. */
const MOST_ALIKE = 0.8;

/**
 * The variance of what is left of blocks, with how alike neighbours are (autoregression of the first order; the estimate from few
 * blocks is too low, and corrected).
 */
function longVariance(rest: readonly number[], parameters: number): number {
  const n = rest.length;
  const squares = rest.reduce((sum, value) => sum + value * value, 0);
  if (squares === 0) return 0;
  const products = rest.reduce((sum, value, index) => sum + value * (rest[index + 1] ?? 0), 0);
  const alike = products / squares + (1 + 3 * (products / squares)) / n;
  const kept = Math.min(MOST_ALIKE, Math.max(0, alike));
  return ((squares / (n - parameters)) * (1 + kept)) / (1 - kept);
}
