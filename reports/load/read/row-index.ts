/** The row of each of many numbers, such as those of arrivals: some bytes per number where most numbers occur. */

import { Column } from "../stats/column.ts";
import { PageStore } from "../stats/page-store.ts";
import { PairTable } from "../stats/pair-table.ts";

/** Neighbouring numbers whose rows are side by side. */
const GROUP = 64;

export class RowIndex {
  readonly #rows: Column;
  /** Where the rows of a group begin, by its number. */
  readonly #groups: PairTable;

  constructor(store = new PageStore()) {
    this.#rows = new Column(store);
    this.#groups = new PairTable(store);
  }

  /** The row of a number that is not negative; undefined when it has none. */
  get(number: number): number | undefined {
    const from = this.#groups.get(0, Math.floor(number / GROUP));
    const row = from === undefined ? Number.NaN : this.#rows.at(from + (number % GROUP));
    return Number.isNaN(row) ? undefined : row;
  }

  set(number: number, row: number): void {
    const group = Math.floor(number / GROUP);
    let from = this.#groups.get(0, group);
    if (from === undefined) {
      from = this.#rows.length;
      for (let place = 0; place < GROUP; place += 1) this.#rows.push(Number.NaN);
      this.#groups.set(0, group, from);
    }
    this.#rows.set(from + (number % GROUP), row);
  }

  /** Gives up all rows: the index is not used any more. */
  release(): void {
    this.#rows.release();
    this.#groups.release();
  }
}
