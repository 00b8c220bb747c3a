/** What all exchanges together hold in memory: for their records, and of responses that their clients do not read. */

/** Most bytes of it. */
const MOST_HELD = 64 * 1024 * 1024;

/** Counts those that are held for records. */
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

/**
 * What has arrived of responses and was not read by their clients. It is not counted with the rest: a record can be left out, and
 * what is on its way cannot. When it is too much, the client that has read nothing for longest loses its response.
 */
export class UnreadBytes {
  readonly #most: number;
  /** By what ends the response; the client that read last is last. */
  readonly #unread = new Map<() => void, number>();
  #total = 0;

  constructor(most = MOST_HELD) {
    this.#most = most;
  }

  /** @param cancel ends the response, of which nothing is held then; the same function each time */
  set(cancel: () => void, bytes: number): void {
    const before = this.#unread.get(cancel) ?? 0;
    this.#total += bytes - before;
    if (bytes < before) this.#unread.delete(cancel);
    if (bytes > 0) this.#unread.set(cancel, bytes);
    if (this.#total <= this.#most) return;
    const [longest] = this.#unread.keys();
    if (longest === undefined) return;
    this.set(longest, 0);
    longest();
  }
}
