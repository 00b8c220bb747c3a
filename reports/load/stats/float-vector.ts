/** A list of numbers that grows without boxing them: eight bytes a value. */
export class FloatVector {
  #values = new Float64Array(1_024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** Value at `index`; NaN stands for absent. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? Number.NaN) : Number.NaN;
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
