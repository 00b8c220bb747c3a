/** What all exchanges together hold in memory beyond what is on its way. */

/** Most bytes of it. */
const MOST_HELD = 64 * 1024 * 1024;

/** Counts them. */
export class HeldBytes {
  readonly #most: number;
  #held = 0;

  constructor(most = MOST_HELD) {
    this.#most = most;
  }

  /** @returns false when there is no room: then nothing was counted, and nothing may be held */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#most) return false;
    this.#held += bytes;
    return true;
  }

  /** Bytes that were taken are held no more. */
  give(bytes: number): void {
    this.#held -= bytes;
  }
}
