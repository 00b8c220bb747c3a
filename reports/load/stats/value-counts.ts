/** How often each whole number occurs among many. Most gaps between chunks are short, so that most numbers are small. */

/** Numbers below are counted in an array, which is as long as the largest of them needs: half a megabyte at most. */
const IN_ARRAY = 1 << 17;

export class ValueCounts {
  readonly #inArray: number;
  #counts = new Uint32Array(0);
  readonly #others = new Map<number, number>();

  /** @param isSmall whether little memory is to be used, which takes longer */
  constructor(isSmall = false) {
    this.#inArray = isSmall ? 0 : IN_ARRAY;
  }

  /** @param value a whole number from 0 */
  add(value: number): void {
    if (value >= this.#inArray) this.#others.set(value, (this.#others.get(value) ?? 0) + 1);
    else {
      if (value >= this.#counts.length) this.#makeRoom(value);
      this.#counts[value] = (this.#counts[value] ?? 0) + 1;
    }
  }

  #makeRoom(value: number): void {
    const counts = new Uint32Array(2 ** (32 - Math.clz32(value | 1)));
    counts.set(this.#counts);
    this.#counts = counts;
  }

  /** Each number that occurs, with how often. */
  *entries(): Generator<readonly [value: number, count: number]> {
    for (let value = 0; value < this.#counts.length; value += 1) {
      const count = this.#counts[value] ?? 0;
      if (count > 0) yield [value, count];
    }
    yield* this.#others;
  }
}
