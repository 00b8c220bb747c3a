/**
 * Seeded choices. Each is a hash of (seed, arrival, purpose), so that the order in which virtual users run changes
 * nothing, and two purposes of one arrival do not follow each other. Pure.
 */

import { fnv1a } from "../../lib/hash.ts";
import type { Choices } from "../../settings/choices.ts";

/** Hashes of purposes, which are few and used for every arrival. */
const purposes: Record<string, number> = Object.create(null);

function hashOf(purpose: string): number {
  const known = purposes[purpose];
  if (known !== undefined) return known;
  const hash = fnv1a(purpose);
  purposes[purpose] = hash;
  return hash;
}

/** The finalizer of MurmurHash3 over a hash and 32 more bits. */
export function mixed(hash: number, bits: number): number {
  let result = hash ^ bits;
  result = Math.imul(result ^ (result >>> 16), 0x85ebca6b);
  result = Math.imul(result ^ (result >>> 13), 0xc2b2ae35);
  return result ^ (result >>> 16);
}

/**
 * A number from 0 (included) to 1 (excluded), evenly spread over arrivals. Every arrival draws, so this is a few
 * multiplications and no text.
 * @param purpose what is chosen, such as `prompt`; each purpose draws independently.
 */
export const draw = (seed: number, index: number, purpose: string): number => bitsOf(seed, index, purpose) / 2 ** 32;

/** The same as a whole number of 32 bits. */
export const bitsOf = (seed: number, index: number, purpose: string): number =>
  mixed(baseOf(seed, purpose), index | 0) >>> 0;

/** Hashes of purposes with a seed: nearly all draws of a run are with the seed of the run. */
let bases: Record<string, number> = Object.create(null);
let seedOfBases: number | undefined;

function baseOf(seed: number, purpose: string): number {
  if (seed !== seedOfBases) {
    seedOfBases = seed;
    bases = Object.create(null);
  }
  const known = bases[purpose];
  if (known !== undefined) return known;
  const base = mixed(mixed(hashOf(purpose), seed | 0), (seed / 2 ** 32) | 0);
  bases[purpose] = base;
  return base;
}

/** True for about `share` (0 to 1) of the arrivals. */
export const isChosen = (share: number, seed: number, index: number, purpose: string): boolean =>
  draw(seed, index, purpose) < share;

/** Position of the choice for an arrival among `length` equally likely ones. */
export const pickIndex = (length: number, seed: number, index: number, purpose: string): number =>
  Math.floor(draw(seed, index, purpose) * length);

/** The keys of the rounds below, of the key that they were made from: arrivals that follow each other have the same. */
let rounds = { of: Number.NaN, first: 0, second: 0, third: 0 };

/**
 * Position among `length` of the number-th of a shuffled sequence: each position comes once before any comes again, in an order of its
 * own each time. Nothing is kept of it: a Feistel network of three rounds permutes the cells of the smallest square that holds all
 * positions, and is applied again to a cell beyond the positions (Black and Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
 * Every arrival comes here.
 * @param length at most 2^32
 */
export function shuffledIndex(length: number, seed: number, number: number, purpose: string): number {
  const side = Math.ceil(Math.sqrt(length));
  const key = mixed(baseOf(seed, purpose), Math.floor(number / length));
  if (rounds.of !== key) rounds = { of: key, first: mixed(key, 1), second: mixed(key, 2), third: mixed(key, 3) };
  const { first, second, third } = rounds;
  let position = number % length;
  do {
    const right = position % side;
    const left = (position - right) / side;
    const one = (left + (mixed(first, right) >>> 0)) % side;
    const two = (right + (mixed(second, one) >>> 0)) % side;
    position = two * side + ((one + (mixed(third, two) >>> 0)) % side);
  } while (position >= length);
  return position;
}

/**
 * Chooses among weighted entries.
 * @param drawn from 0 (included) to 1 (excluded), of `draw`.
 */
export function pickWeighted<T extends { readonly weight: number }>(entries: readonly T[], drawn: number): T {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  let left = drawn * total;
  for (const entry of entries) {
    left -= entry.weight;
    if (left < 0) return entry;
  }
  throw new RangeError("Cannot choose among entries: there are none, or none has a weight above zero.");
}

/**
 * The value that an arrival has: in turn, or by the weights.
 * @param number of the arrival, which decides where there are no weights
 */
export function choiceOf<T extends string | number>({ values, weights }: Choices<T>, drawn: number, number: number): T {
  const chosen =
    weights === undefined || values.length === 1
      ? values[number % values.length]
      : pickWeighted(
          values.map((value, at) => ({ value, weight: weights[at] ?? 1 })),
          drawn,
        ).value;
  if (chosen === undefined) throw new RangeError("Cannot choose: there is nothing to choose from.");
  return chosen;
}

/** What is known of a workload, as far as its arrivals are concerned. */
interface Shared {
  /** Its part of the arrivals that the workloads share; absent where each has arrivals of its own. */
  readonly weight?: number | undefined;
}

/**
 * The position of the workload that an arrival is of; a report asks for those that never started. Workloads with arrivals of
 * their own number them in turn, others share each arrival by their weights.
 */
export function workloadOfArrival(workloads: readonly Shared[], seed: number, index: number): number {
  if (workloads.length === 1) return 0;
  if (haveOwnArrivals(workloads)) return index % workloads.length;
  const choices = workloads.map(({ weight = 1 }, position) => ({ weight, position }));
  return pickWeighted(choices, draw(seed, index, "part")).position;
}

/** Whether each workload has arrivals of its own. */
export const haveOwnArrivals = (workloads: readonly Shared[]): boolean =>
  workloads.every(({ weight }) => weight === undefined);

/** What an arrival has of the model that it asks for, in all its requests; a report asks for those of arrivals that never started. */
export const ofModelOfArrival = <T extends { readonly weight: number }>(
  models: readonly T[],
  seed: number,
  index: number,
): T => pickWeighted(models, draw(seed, index, "model"));
