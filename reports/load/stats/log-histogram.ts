/**
 * Counts of whole numbers by size, 32 classes from each power of two to the next: a value is known to within 1.6 %, in memory that
 * depends on the range of the values and not on how many there are. For charts; the figures of tables are exact.
 */

const BITS = 5;
/** Classes per power of two. */
const CLASSES = 1 << BITS;
/** Values beyond are counted as this: 35 minutes in microseconds. */
const MOST = 2 ** 31 - 1;

/** The class of a whole number from 0. */
const classOf = (value: number): number => {
  if (value < CLASSES) return value;
  const power = 31 - Math.clz32(value);
  return (power - BITS + 1) * CLASSES + ((value >>> (power - BITS)) & (CLASSES - 1));
};

/** The least value of a class; that of the next one ends it. */
const leastOf = (index: number): number =>
  index < CLASSES ? index : (CLASSES + (index % CLASSES)) * 2 ** (Math.floor(index / CLASSES) - 1);

/** The class of a whole number from 0, of which BITS and MOST are those of the histogram, in SQL. */
export function classSql(value: string): string {
  const whole = `greatest(0, least(${MOST}, ${value}))`;
  const power = `CAST(floor(log2(greatest(1, ${whole}))) AS INTEGER)`;
  return `CASE WHEN ${whole} < ${CLASSES} THEN ${whole} ELSE (${power} - ${BITS - 1}) * ${CLASSES} + ((${whole} >> (${power} - ${BITS})) & ${CLASSES - 1}) END`;
}

/** Values from `from` up to `to`, and how many there are. */
export interface Class {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export class LogHistogram {
  /** Counts of the classes from `#first` on. */
  #counts = new Uint32Array(0);
  #first = 0;
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** The largest value, exactly. */
  get max(): number {
    return this.#max;
  }

  /** Adds a value `times` times; a negative one counts as 0. */
  add(value: number, times = 1): void {
    const whole = Math.min(MOST, Math.max(0, Math.round(value)));
    this.#addTo(classOf(whole), times);
    this.#count += times;
    if (value > this.#max) this.#max = value;
  }

  /** Adds values of one class, of which the largest is known. */
  addClass(index: number, times: number, largest: number): void {
    this.#addTo(index, times);
    this.#count += times;
    this.#max = Math.max(this.#max, largest);
  }

  /** Adds all of another. */
  merge(other: LogHistogram): void {
    for (const [index, count] of other.#counts.entries()) if (count > 0) this.#addTo(other.#first + index, count);
    this.#count += other.#count;
    this.#max = Math.max(this.#max, other.#max);
  }

  #addTo(index: number, times: number): void {
    let at = index - this.#first;
    if (at < 0 || at >= this.#counts.length) at = this.#makeRoom(index);
    this.#counts[at] = (this.#counts[at] ?? 0) + times;
  }

  /** Makes room for a class, with the others up to the next power of two. @returns its place */
  #makeRoom(index: number): number {
    const isEmpty = this.#counts.length === 0;
    const first = Math.floor((isEmpty ? index : Math.min(index, this.#first)) / CLASSES) * CLASSES;
    const last = isEmpty ? index : Math.max(index, this.#first + this.#counts.length - 1);
    const counts = new Uint32Array((Math.floor(last / CLASSES) + 1) * CLASSES - first);
    counts.set(this.#counts, isEmpty ? 0 : this.#first - first);
    this.#counts = counts;
    this.#first = first;
    return index - first;
  }

  /** How many values each class has that has any. */
  *counted(): Generator<{ readonly index: number; readonly count: number }> {
    for (const [at, count] of this.#counts.entries()) if (count > 0) yield { index: this.#first + at, count };
  }

  /** Nearest-rank quantile, the middle of its class; NaN when there are none. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(this.#count * share));
    let passed = 0;
    for (const [index, count] of this.#counts.entries()) {
      passed += count;
      if (passed < rank) continue;
      const [from, to] = [leastOf(this.#first + index), leastOf(this.#first + index + 1)];
      return Math.min(this.#max, (from + to - 1) / 2);
    }
    return Number.NaN;
  }

  /** The classes that hold values, in ascending order; `joined` neighbours are one (a power of two, 32 at most). */
  *classes(joined = 1): Generator<Class> {
    for (let at = 0; at < this.#counts.length; at += joined) {
      const from = this.#first + at;
      // Below the first power of two, a class holds one value and joins as the others do.
      const count = this.#counts.subarray(at, at + joined).reduce((sum, each) => sum + each, 0);
      if (count > 0) yield { from: leastOf(from), to: leastOf(from + joined), count };
    }
  }
}
