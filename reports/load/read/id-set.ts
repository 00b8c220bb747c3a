/**
 * A set of texts that tells a text that it has seen, in 16 bytes or less per text: it keeps 64 bits of each. Of a billion
 * different texts, two are taken for the same with a chance of about one in forty.
 */

const SMALLEST = 1 << 8;

export class IdSet {
  /** The two halves of each hash, side by side; 0 and 0: free. */
  #slots = new Uint32Array(2 * SMALLEST);
  #size = 0;

  /** Adds a text. @returns false when it was there already */
  add(text: string): boolean {
    const [high, low] = hashOf(text);
    if (!put(this.#slots, high, low)) return false;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length / 2) this.#grow();
    return true;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#slots.length; at += 2) {
      const [high = 0, low = 0] = [this.#slots[at], this.#slots[at + 1]];
      if (high !== 0 || low !== 0) put(larger, high, low);
    }
    this.#slots = larger;
  }
}

/** Puts a hash into the first free slot from its own on; false when it is there. */
function put(slots: Uint32Array, high: number, low: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const [a, b] = [slots[2 * slot], slots[2 * slot + 1]];
    if (a === high && b === low) return false;
    if (a === 0 && b === 0) {
      slots[2 * slot] = high;
      slots[2 * slot + 1] = low;
      return true;
    }
  }
}

/** Two independent 32-bit hashes, of cyrb53 (https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js). */
function hashOf(text: string): [number, number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  // 0 and 0 stand for a free slot.
  return [a >>> 0, b >>> 0 || 1];
}
