/** A list of numbers that grows, in pages that a store keeps: eight bytes per value. */

import { type PageCodec, PageList } from "./page-list.ts";
import type { PageStore } from "./page-store.ts";

const PAGE = 2_048;

const FLOAT_PAGES: PageCodec<Float64Array> = {
  sizeOf: (page) => page.byteLength,
  bytesOf: (page) => new Uint8Array(page.buffer, page.byteOffset, page.byteLength),
  pageOf: (bytes) => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8),
};

export class ValueList {
  readonly #pages: PageList<Float64Array>;
  #length = 0;

  constructor(store: PageStore) {
    this.#pages = new PageList(store, FLOAT_PAGES);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const within = this.#length % PAGE;
    const number = (this.#length - within) / PAGE;
    if (within === 0) this.#pages.put(number, new Float64Array(PAGE));
    const loaded = this.#pages.at(number);
    loaded.page[within] = value;
    loaded.isChanged = true;
    this.#length += 1;
  }

  /** The value at an index that has one; NaN at another. */
  at(index: number): number {
    if (index >= this.#length) return Number.NaN;
    return this.#pages.at(Math.floor(index / PAGE)).page[index % PAGE] ?? Number.NaN;
  }

  /** Visits all values in the order in which they came. */
  readonly each = (take: (value: number) => void): void => {
    for (let number = 0, left = this.#length; left > 0; number += 1, left -= PAGE) {
      const { page } = this.#pages.at(number);
      for (let index = 0; index < Math.min(PAGE, left); index += 1) take(page[index] ?? Number.NaN);
    }
  };

  /** Gives up all values: the list is not used any more. */
  release(): void {
    this.#pages.release();
    this.#length = 0;
  }
}
