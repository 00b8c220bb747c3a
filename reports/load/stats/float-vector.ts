/** A list of numbers that grows without boxing them: eight bytes a value. */

const SMALLEST = 64;

export class FloatVector {
  #values = new Float64Array(SMALLEST);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** The value at an index that has one; NaN at another. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? Number.NaN) : Number.NaN;
  }

  /** Replaces the value at an index that has one. */
  set(index: number, value: number): void {
    if (index < this.#length) this.#values[index] = value;
  }

  #grow(): void {
    const larger = new Float64Array(Math.ceil(this.#values.length * 1.5));
    larger.set(this.#values);
    this.#values = larger;
  }

  /** The values themselves, not a copy. */
  view(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }

  /** An ascending copy. */
  sorted(): Float64Array {
    return this.view().slice().sort();
  }
}
