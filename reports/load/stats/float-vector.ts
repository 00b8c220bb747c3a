/** A list of numbers that grows without boxing them: eight bytes a value, and none for those before the first known one. */

const SMALLEST = 64;

export class FloatVector {
  /** How many of the first values are NaN; they take no space. */
  #absent = 0;
  #values = new Float64Array(SMALLEST);
  #length = 0;

  get length(): number {
    return this.#absent + this.#length;
  }

  push(value: number): void {
    if (this.#length === 0 && Number.isNaN(value)) {
      this.#absent += 1;
      return;
    }
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  #grow(): void {
    const larger = new Float64Array(Math.ceil(this.#values.length * 1.5));
    larger.set(this.#values);
    this.#values = larger;
  }

  /** Replaces the value at an index that has one. */
  set(index: number, value: number): void {
    if (index < this.#absent) this.#fill();
    if (index < this.length) this.#values[index - this.#absent] = value;
  }

  /** Gives the first values a space of their own. */
  #fill(): void {
    const whole = new Float64Array(Math.max(SMALLEST, this.length));
    whole.fill(Number.NaN, 0, this.#absent);
    whole.set(this.#values.subarray(0, this.#length), this.#absent);
    this.#length += this.#absent;
    this.#values = whole;
    this.#absent = 0;
  }

  /** Value at `index`; NaN stands for absent. */
  at(index: number): number {
    return index < this.length ? (this.#values[index - this.#absent] ?? Number.NaN) : Number.NaN;
  }

  /** The values themselves, not a copy. */
  view(): Float64Array {
    if (this.#absent > 0) this.#fill();
    return this.#values.subarray(0, this.#length);
  }

  /** An ascending copy. */
  sorted(): Float64Array {
    return this.view().slice().sort();
  }
}
