/**
 * The order of rows by a value, in some bytes per row; a sort with a comparison takes several times as many. Rows that are too
 * many to be sorted at once are divided, and the parts go to the store.
 */

import { dividersOf, type Values } from "./ascending.ts";
import { Column } from "./column.ts";
import { firstFrom } from "./first-from.ts";
import { PageStore } from "./page-store.ts";

const DIGIT_BITS = 16;
const DIGITS = 1 << DIGIT_BITS;
/** Parts are so many times smaller than what is sorted at once. */
const MARGIN = 4;

/** Fewer than this are sorted by comparison: a radix sort of few takes longer. */
const FEW = 4_096;

/** Visits rows; the same ones in the same order at each call. */
type Rows = (take: (row: number) => void) => void;

/**
 * Visits the rows from 0 in ascending order of their values; rows of equal values stay as they are.
 * @param toValue finite; compared in whole thousandths
 */
export function inOrderOf(
  toValue: (row: number) => number,
  count: number,
  take: (row: number) => void,
  store = new PageStore(),
): void {
  const all: Rows = (visit) => {
    for (let row = 0; row < count; row += 1) visit(row);
  };
  sortRows(all, count, { toKey: (row) => thousandths(toValue(row)), take, store });
}

interface Sorting {
  readonly toKey: (row: number) => number;
  readonly take: (row: number) => void;
  readonly store: PageStore;
}

const thousandths = (value: number): number => Math.round(value * 1_000);

function sortRows(rows: Rows, count: number, sorting: Sorting): void {
  const { toKey, take, store } = sorting;
  if (count <= store.sortable) {
    sortAtOnce(rows, count, sorting);
    return;
  }
  const keys: Values = (visit) => rows((row) => visit(toKey(row)));
  const dividers = dividersOf(keys, count, Math.ceil((MARGIN * count) / store.sortable));
  // Before a divider, and equal to it: these stay as they are.
  const parts = Array.from({ length: 2 * dividers.length + 1 }, () => new Column(store));
  rows((row) => {
    const key = toKey(row);
    const part = firstFrom(dividers, key);
    parts[dividers[part] === key ? 2 * part + 1 : 2 * part]?.push(row);
  });
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) part.each(take);
    else sortRows(part.each, part.length, sorting);
    part.release();
  }
}

function sortAtOnce(rows: Rows, count: number, { toKey, take }: Sorting): void {
  const ids = new Float64Array(count);
  const keys = new Float64Array(count);
  let next = 0;
  rows((row) => {
    ids[next] = row;
    keys[next] = toKey(row);
    next += 1;
  });
  for (const index of orderOf(keys)) take(ids[index] ?? 0);
}

/** The indexes of whole numbers in ascending order: a radix sort. */
function orderOf(keys: Float64Array): Uint32Array {
  const count = keys.length;
  let order = Uint32Array.from({ length: count }, (_, index) => index);
  if (count < FEW) return order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const key of keys) {
    least = Math.min(least, key);
    most = Math.max(most, key);
  }
  let sorted = new Uint32Array(count);
  for (let unit = 1; unit <= most - least; unit *= DIGITS) {
    const digitOf = (index: number) => Math.floor(((keys[index] ?? 0) - least) / unit) % DIGITS;
    const places = placesOf(order, digitOf);
    for (const index of order) {
      const digit = digitOf(index);
      const place = places[digit] ?? 0;
      sorted[place] = index;
      places[digit] = place + 1;
    }
    [order, sorted] = [sorted, order];
  }
  return order;
}

/** Where those of each digit begin. */
function placesOf(order: Uint32Array, digitOf: (index: number) => number): Uint32Array {
  const places = new Uint32Array(DIGITS + 1);
  for (const index of order) places[digitOf(index) + 1] = (places[digitOf(index) + 1] ?? 0) + 1;
  for (let digit = 1; digit <= DIGITS; digit += 1) places[digit] = (places[digit] ?? 0) + (places[digit - 1] ?? 0);
  return places;
}
