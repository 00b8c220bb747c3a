/**
 * A column of numbers that takes few bytes per value and returns each exactly as it was given. Values are kept in pages. A
 * page that is no longer written to is encoded: as whole numbers, or whole thousandths, above the least of the page, in as
 * few bytes as the largest of them needs. Times with microseconds and counts take four bytes or less, values that are all
 * equal or all absent take none, and a page of other values takes eight bytes per value. A column whose values are all equal
 * has no pages.
 */

import { type PageCodec, PageList } from "./page-list.ts";
import { PageStore } from "./page-store.ts";

const BITS = 11;
/** Values per page. */
const PAGE = 1 << BITS;
const WITHIN = PAGE - 1;
/** Pages at the end that are written to most, and stay as they are. */
const OPEN_PAGES = 4;

type Cells = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The value of a cell is (base + cell) / scale. */
interface Page {
  readonly cells: Cells;
  readonly base: number;
  readonly scale: number;
  /** The cell that stands for an absent value. */
  readonly absent: number;
}

const openPage = (cells: Float64Array = new Float64Array(PAGE)): Page => ({
  cells,
  base: 0,
  scale: 1,
  absent: Number.NaN,
});

/** Serves every page whose values are all equal. */
const ZEROS = new Uint8Array(PAGE);

/** A page of one value, which may be absent. */
const pageOf = (value: number): Page =>
  Number.isNaN(value)
    ? { cells: ZEROS, base: 0, scale: 1, absent: 0 }
    : { cells: ZEROS, base: value, scale: 1, absent: Number.NaN };

const WIDTHS = [
  { most: 0xff, cells: () => new Uint8Array(PAGE) },
  { most: 0xffff, cells: () => new Uint16Array(PAGE) },
  { most: 0xffff_ffff, cells: () => new Uint32Array(PAGE) },
] as const;

export class Column {
  readonly #pages: PageList<Page>;
  #length = 0;
  /** The value that all have; undefined when they differ, and are in pages. */
  #only: number | undefined;

  /** @param store where its pages are kept */
  constructor(store = new PageStore()) {
    this.#pages = new PageList(store, COLUMN_PAGES);
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a value; NaN stands for absent. */
  push(value: number): void {
    if (this.#length === 0) this.#only = value;
    if (this.#only !== undefined && Object.is(this.#only, value)) this.#length += 1;
    else this.#append(value);
  }

  #append(value: number): void {
    this.#divide();
    const number = this.#length >> BITS;
    if (number === this.#pages.length) {
      this.#encode(number - OPEN_PAGES);
      this.#pages.put(number, openPage());
    }
    this.#write(this.#length, value);
    this.#length += 1;
  }

  /** The value at `index`; NaN when it is absent, or the index is none. */
  at(index: number): number {
    if (index >= this.#length) return Number.NaN;
    return this.#only ?? valueIn(this.#pages.at(index >> BITS).page, index & WITHIN);
  }

  /** Visits all values in the order in which they came. */
  readonly each = (take: (value: number) => void): void => {
    for (let index = 0; index < this.#length; index += 1) take(this.at(index));
  };

  /** Replaces the value at an index that has one. A page that was encoded is encoded again only when it leaves the memory. */
  set(index: number, value: number): void {
    if (index >= this.#length || Object.is(this.at(index), value)) return;
    this.#write(index, value);
  }

  /** Gives up all values: the column is not used any more. */
  release(): void {
    this.#only = undefined;
    this.#pages.release();
  }

  /** Puts values that are all equal into pages. */
  #divide(): void {
    if (this.#only === undefined) return;
    const whole = this.#length >> BITS;
    const rest = this.#length & WITHIN;
    for (let number = 0; number < whole; number += 1) this.#pages.put(number, pageOf(this.#only));
    if (rest > 0) this.#pages.put(whole, openPage(new Float64Array(PAGE).fill(this.#only, 0, rest)));
    this.#only = undefined;
  }

  #write(index: number, value: number): void {
    this.#divide();
    const number = index >> BITS;
    let loaded = this.#pages.at(number);
    if (!(loaded.page.cells instanceof Float64Array)) loaded = this.#pages.put(number, decoded(loaded.page));
    loaded.page.cells[index & WITHIN] = value;
    loaded.isChanged = true;
  }

  #encode(number: number): void {
    const page = this.#pages.inMemory(number)?.page;
    const smaller = page === undefined ? undefined : encoded(page);
    if (smaller !== undefined) this.#pages.put(number, smaller);
  }
}

/** A column for each name. */
export const columnsOf = <N extends string>(names: readonly N[], store: PageStore): Record<N, Column> =>
  Object.fromEntries(names.map((name) => [name, new Column(store)])) as Record<N, Column>;

function valueIn(page: Page, index: number): number {
  const cell = page.cells[index] ?? 0;
  return cell === page.absent ? Number.NaN : (page.base + cell) / page.scale;
}

function decoded(page: Page): Page {
  const values = new Float64Array(PAGE);
  for (let index = 0; index < PAGE; index += 1) values[index] = valueIn(page, index);
  return openPage(values);
}

/** A page in fewer bytes; undefined when that would change a value, or it has been done. */
function encoded({ cells }: Page): Page | undefined {
  return cells instanceof Float64Array ? (encodedBy(cells, 1) ?? encodedBy(cells, 1_000)) : undefined;
}

function encodedBy(values: Float64Array, scale: number): Page | undefined {
  let [least, most, absent] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const value of values) {
    if (Number.isNaN(value)) {
      absent += 1;
      continue;
    }
    const whole = Math.round(value * scale);
    if (!Number.isSafeInteger(whole) || whole / scale !== value) return undefined;
    if (whole < least) least = whole;
    if (whole > most) most = whole;
  }
  if (absent === values.length) return pageOf(Number.NaN);
  if (absent === 0 && least === most) return pageOf(least / scale);
  // The largest cell is kept for absent values.
  const width = WIDTHS.find((candidate) => most - least < candidate.most);
  if (width === undefined) return undefined;
  const cells = width.cells();
  for (let index = 0; index < PAGE; index += 1) {
    const value = values[index] ?? Number.NaN;
    cells[index] = Number.isNaN(value) ? width.most : Math.round(value * scale) - least;
  }
  return { cells, base: least, scale, absent: width.most };
}

/** Bytes before the cells of a page in a scratch file: base, scale, absent and the bytes of a cell, which are 0 where all are 0. */
const HEADER = 32;

const CELLS: Readonly<Record<number, (buffer: ArrayBuffer) => Cells>> = {
  0: () => ZEROS,
  1: (buffer) => new Uint8Array(buffer),
  2: (buffer) => new Uint16Array(buffer),
  4: (buffer) => new Uint32Array(buffer),
  8: (buffer) => new Float64Array(buffer),
};

const COLUMN_PAGES: PageCodec<Page> = {
  sizeOf: ({ cells }) => (cells === ZEROS ? 0 : cells.byteLength),
  bytesOf: (given) => {
    const page = encoded(given) ?? given;
    const { cells, base, scale, absent } = page;
    const length = cells === ZEROS ? 0 : cells.byteLength;
    const bytes = new Uint8Array(HEADER + length);
    new Float64Array(bytes.buffer, 0, HEADER / 8).set([base, scale, absent, length / PAGE]);
    if (length > 0) bytes.set(new Uint8Array(cells.buffer, cells.byteOffset, length), HEADER);
    return bytes;
  },
  pageOf: (bytes) => {
    const [base = 0, scale = 1, absent = 0, width = 0] = new Float64Array(bytes.slice(0, HEADER).buffer);
    const cells = CELLS[width]?.(bytes.slice(HEADER).buffer) ?? ZEROS;
    return { cells, base, scale, absent };
  },
};
