/**
 * Sets of texts that tell a text that they have seen, in pages that a store keeps. A text that ends with a number, as the ids
 * of requests do, is its beginning and that number: two bytes per text, and no other text is taken for it. Of texts with many
 * different beginnings 106 bits are kept: of a billion of those, two are taken for the same with a chance of 1 in 10^14.
 */

import type { PageStore } from "../stats/page-store.ts";
import { PairTable } from "../stats/pair-table.ts";

/** Different beginnings that are kept as texts, and their length. */
const MOST_BEGINNINGS = 1 << 10;
const LONGEST_BEGINNING = 128;
/** Digits of a number that is exact. */
const MOST_DIGITS = 15;

/** A text as two whole numbers; the first is negative where they are a hash of it, else the second is the number at its end. */
type Pair = readonly [first: number, second: number];

/** A text is always the same pair: once there are as many beginnings as are kept, none is added. */
class TextPairs {
  readonly #beginnings = new Map<string, number>();

  of(text: string): Pair {
    const from = numberFrom(text);
    if (from === text.length || from > LONGEST_BEGINNING) return hashOf(text);
    const beginning = text.slice(0, from);
    let index = this.#beginnings.get(beginning);
    if (index === undefined) {
      if (this.#beginnings.size >= MOST_BEGINNINGS) return hashOf(text);
      index = this.#beginnings.size;
      this.#beginnings.set(beginning, index);
    }
    return [index, Number(text.slice(from))];
  }
}

const ZERO = 0x30;
const NINE = 0x39;

/** Where the number begins that a text ends with, one as `String` writes it; the length of the text when there is none. */
function numberFrom(text: string): number {
  const least = Math.max(0, text.length - MOST_DIGITS);
  let from = text.length;
  while (from > least && isDigit(text.charCodeAt(from - 1))) from -= 1;
  while (from < text.length - 1 && text.charCodeAt(from) === ZERO) from += 1;
  return from;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Neighbouring numbers that share an entry, a bit each. */
const BITS = 32;

/** A set of texts. */
export class IdSet {
  readonly #pairs = new TextPairs();
  /** Bits of the numbers by beginning; 1 for each hash. */
  readonly #table: PairTable;

  constructor(store?: PageStore) {
    this.#table = new PairTable(store);
  }

  /** Adds a text. @returns false when it was there already */
  add(text: string): boolean {
    const [first, second, bit] = entryOf(this.#pairs.of(text));
    const bits = this.#table.get(first, second) ?? 0;
    if ((bits & bit) !== 0) return false;
    this.#table.set(first, second, bits | bit);
    return true;
  }

  /** Gives up all texts: the set is not used any more. */
  release(): void {
    this.#table.release();
  }
}

/** The entry of a text in a set, and its bit there. */
const entryOf = ([first, second]: Pair): readonly [first: number, second: number, bit: number] =>
  first < 0 ? [first, second, 1] : [first, Math.floor(second / BITS), 1 << (second % BITS)];

/** Numbers texts in the order in which they are first seen, from 0. */
export class IdNumbers {
  readonly #pairs = new TextPairs();
  readonly #table: PairTable;

  constructor(store?: PageStore) {
    this.#table = new PairTable(store);
  }

  get size(): number {
    return this.#table.size;
  }

  /** The number of a text that was seen; undefined of another. */
  get(text: string): number | undefined {
    return this.#table.get(...this.#pairs.of(text));
  }

  /** The number of a text, which gets the next one when it is new. */
  numberOf(text: string): number {
    const [first, second] = this.#pairs.of(text);
    const known = this.#table.get(first, second);
    if (known !== undefined) return known;
    const number = this.#table.size;
    this.#table.set(first, second, number);
    return number;
  }
}

function hashOf(text: string): Pair {
  return [-1 - hash53(text, 0xdeadbeef, 0x41c6ce57), hash53(text, 0x9e3779b9, 0x6a09e667)];
}

/** 53 bits, by cyrb53 (https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js). */
function hash53(text: string, one: number, other: number): number {
  let [a, b] = [one, other];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return (b >>> 11) * 2 ** 32 + (a >>> 0);
}
