/**
 * Values in ascending order, however many they are: as many as the store sorts at once in memory, more of them by parts. The
 * values are divided at some of them, the parts go to the store, and each is sorted for itself. Exact, and linear in time.
 */

import { Column } from "./column.ts";
import { firstFrom } from "./first-from.ts";
import type { PageStore } from "./page-store.ts";

/** Visits the values of a sample, none of which is NaN; the same ones in the same order at each call. */
export type Values = (take: (value: number) => void) => void;

/** Values that are looked at to divide all. */
const LOOKED_AT = 4_096;
/** Parts are so many times smaller than what is sorted at once: some turn out larger than others. */
const MARGIN = 4;
const SMALLEST = 256;

/** All values of a sample, in lists that follow each other. */
export interface Ascending {
  readonly count: number;
  /** Call it once. */
  lists(): Iterable<Float64Array>;
}

/** Sorts a sample. */
export function ascending(values: Values, store: PageStore): Ascending {
  const { count, all } = gather(values, store.sortable);
  if (all !== undefined) return { count, lists: () => [all.sort()] };
  return { count, lists: () => byParts(values, count, store) };
}

/** How many there are, and the values themselves if they are at most so many. */
function gather(values: Values, most: number): { readonly count: number; readonly all: Float64Array | undefined } {
  let all: Float64Array | undefined = new Float64Array(Math.min(SMALLEST, most));
  let count = 0;
  values((value) => {
    if (all !== undefined && count === all.length) all = count >= most ? undefined : larger(all, most);
    if (all !== undefined) all[count] = value;
    count += 1;
  });
  return { count, all: all?.subarray(0, count) };
}

function larger(values: Float64Array, most: number): Float64Array {
  const grown = new Float64Array(Math.min(values.length * 2, most));
  grown.set(values);
  return grown;
}

function* byParts(values: Values, count: number, store: PageStore): Generator<Float64Array> {
  const dividers = dividersOf(values, count, Math.ceil((MARGIN * count) / store.sortable));
  // What equals a divider needs no place: it is counted.
  const equal = new Float64Array(dividers.length);
  const between = Array.from({ length: dividers.length + 1 }, () => new Column(store));
  try {
    values((value) => {
      const part = firstFrom(dividers, value);
      if (dividers[part] === value) equal[part] = (equal[part] ?? 0) + 1;
      else between[part]?.push(value);
    });
    for (const [part, list] of between.entries()) {
      yield* ascending(list.each, store).lists();
      list.release();
      yield* repeated(dividers[part] ?? 0, equal[part] ?? 0);
    }
  } finally {
    for (const list of between) list.release();
  }
}

/** Some of the values, ascending and different, that divide all into about so many parts. */
export function dividersOf(values: Values, count: number, parts: number): Float64Array {
  const step = Math.ceil(count / LOOKED_AT);
  const looked = new Float64Array(Math.ceil(count / step));
  let index = 0;
  values((value) => {
    if (index % step === 0) looked[index / step] = value;
    index += 1;
  });
  looked.sort();
  const dividers = Array.from(
    { length: Math.min(parts, looked.length) },
    (_, part) => looked[Math.floor((part * looked.length) / parts)] ?? 0,
  );
  return Float64Array.from(new Set(dividers));
}

function* repeated(value: number, times: number): Generator<Float64Array> {
  const list = new Float64Array(Math.min(times, LOOKED_AT)).fill(value);
  for (let left = times; left > 0; left -= list.length) yield list.subarray(0, Math.min(left, list.length));
}
