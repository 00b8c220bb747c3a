/** A scratch file in memory, and stores that need it soon. */

import { PageStore, type Scratch } from "../../../reports/load/stats/page-store.ts";

/** Bytes in memory by their position. */
class ScratchMemory implements Scratch {
  #bytes = new Uint8Array(1 << 12);

  write(bytes: Uint8Array, at: number): void {
    if (at + bytes.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (at + bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, at);
  }

  read(bytes: Uint8Array, at: number): void {
    bytes.set(this.#bytes.subarray(at, at + bytes.length));
  }
}

/** A store that keeps so many bytes in memory, and the others in a scratch file; it sorts so many values at once. */
export const tightStore = (budget: number, sortable?: number): PageStore =>
  new PageStore(budget, () => new ScratchMemory(), sortable);
