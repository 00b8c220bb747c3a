/**
 * A table from pairs of whole numbers to numbers, exact, in pages that a store keeps. Pairs with the same first number and
 * neighbouring second ones share a page: those who come in order find their page in memory.
 */

import { type PageCodec, PageList } from "./page-list.ts";
import { PageStore } from "./page-store.ts";

/** Second numbers that stay together. */
const TOGETHER = 64;
/** Pairs per page on average before the pages are divided. */
const PAIRS_PER_PAGE = 256;
/** Share of the places of a page that may be taken, and of those of a new one. */
const FULL = 0.85;
const TAKEN = 0.65;
/** The number of places is a multiple of this, so that freed space is used again. */
const STEP = 32;
/** First number, second number and value of each place; a first number of NaN: it is free. */
const CELLS = 3;

const PAGES: PageCodec<Float64Array> = {
  sizeOf: (page) => page.byteLength,
  bytesOf: (page) => new Uint8Array(page.buffer, page.byteOffset, page.byteLength),
  pageOf: (bytes) => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8),
};

export class PairTable {
  readonly #pages: PageList<Float64Array>;
  /** How many pairs each page has. */
  #sizes = [0];
  #size = 0;

  constructor(store = new PageStore()) {
    this.#pages = new PageList(store, PAGES);
    this.#pages.put(0, emptyPage(STEP));
  }

  get size(): number {
    return this.#size;
  }

  /** The value of a pair; undefined when it has none. */
  get(first: number, second: number): number | undefined {
    const { page } = this.#pages.at(this.#pageOf(first, second));
    const place = placeOf(page, first, second);
    return page[place] === first ? page[place + 2] : undefined;
  }

  /** Gives a pair a value, in place of the one that it had. */
  set(first: number, second: number, value: number): void {
    const number = this.#pageOf(first, second);
    const loaded = this.#pages.at(number);
    const place = placeOf(loaded.page, first, second);
    const isNew = loaded.page[place] !== first;
    loaded.isChanged = true;
    loaded.page[place] = first;
    loaded.page[place + 1] = second;
    loaded.page[place + 2] = value;
    if (isNew) this.#count(number, loaded.page);
  }

  #count(number: number, page: Float64Array): void {
    const size = (this.#sizes[number] ?? 0) + 1;
    this.#sizes[number] = size;
    this.#size += 1;
    if (size * CELLS > page.length * FULL) this.#pages.put(number, copied(page, placesFor(size)));
    if (this.#size > this.#sizes.length * PAIRS_PER_PAGE) this.#divide();
  }

  /** Gives up all pairs: the table is not used any more. */
  release(): void {
    this.#pages.release();
  }

  #pageOf(first: number, second: number): number {
    // The number of pages is a power of two.
    return mixed(first, Math.floor(second / TOGETHER)) & (this.#sizes.length - 1);
  }

  /** Makes two pages of each. */
  #divide(): void {
    const before = this.#sizes.length;
    this.#sizes = new Array<number>(2 * before).fill(0);
    for (let number = 0; number < before; number += 1) {
      const { page } = this.#pages.at(number);
      eachPair(page, (first, second) => {
        const to = this.#pageOf(first, second);
        this.#sizes[to] = (this.#sizes[to] ?? 0) + 1;
      });
      for (const to of [number, number + before]) {
        const part = emptyPage(placesFor(this.#sizes[to] ?? 0));
        eachPair(page, (first, second, value) => {
          if (this.#pageOf(first, second) === to) part.set([first, second, value], placeOf(part, first, second));
        });
        this.#pages.put(to, part);
      }
    }
  }
}

const placesFor = (pairs: number): number => Math.ceil((pairs + 1) / TAKEN / STEP) * STEP;

const emptyPage = (places: number): Float64Array => new Float64Array(places * CELLS).fill(Number.NaN);

/** The cells of a pair, or the free ones for it. */
function placeOf(page: Float64Array, first: number, second: number): number {
  for (let place = (mixed(second, first) % (page.length / CELLS)) * CELLS; ; place = (place + CELLS) % page.length) {
    const there = page[place] ?? 0;
    if ((there === first && page[place + 1] === second) || Number.isNaN(there)) return place;
  }
}

function copied(page: Float64Array, places: number): Float64Array {
  const larger = emptyPage(places);
  eachPair(page, (first, second, value) => larger.set([first, second, value], placeOf(larger, first, second)));
  return larger;
}

function eachPair(page: Float64Array, visit: (first: number, second: number, value: number) => void): void {
  for (let place = 0; place < page.length; place += CELLS) {
    const first = page[place] ?? Number.NaN;
    if (!Number.isNaN(first)) visit(first, page[place + 1] ?? 0, page[place + 2] ?? 0);
  }
}

const TWO_32 = 2 ** 32;

/** 31 bits of two whole numbers, each of which may have 53. */
function mixed(a: number, b: number): number {
  let hash = Math.imul(folded(a), 0x9e37_79b1) ^ Math.imul(folded(b) ^ 0x5bd1_e995, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a_2d39);
  return (hash ^ (hash >>> 16)) & 0x7fff_ffff;
}

const folded = (value: number): number => (value | 0) ^ Math.imul(Math.floor(value / TWO_32), 0x27d4_eb2f);
