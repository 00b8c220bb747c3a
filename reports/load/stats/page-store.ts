/**
 * Keeps pages in memory up to a budget, and the others in a scratch file: what is held of a run does not grow with its records.
 * Below the budget nothing is written. Pages that were not used for long go first (the clock algorithm).
 */

/** Where pages go that are not kept in memory: bytes by their position. */
export interface Scratch {
  /** @throws whatever says that there is no space */
  write(bytes: Uint8Array, at: number): void;
  read(bytes: Uint8Array, at: number): void;
}

/** A page in memory. */
export interface HeldPage {
  readonly bytes: number;
  /** Whether it was looked at since the clock passed it. */
  used: boolean;
  /** Its place in the queue of the store; undefined when it is not there. */
  place: number | undefined;
  /** Writes it to the scratch file if it has changed; its owner forgets it. */
  evict(): void;
}

/** Share of the budget that a sort may take in addition, as the number of bytes of the budget for each value. */
const BUDGET_PER_SORTED_VALUE = 64;
const FEWEST_SORTED = 16;
/** The queue is cut when so many of its first places, and half of all, are free. */
const CUT_FROM = 4_096;

export class PageStore {
  readonly #budget: number;
  readonly #open: () => Scratch;
  #scratch: Scratch | undefined;
  #held = 0;
  /** Pages in the order in which they came, without those that left; the first one has the place `#from`. */
  #queue: (HeldPage | undefined)[] = [];
  #from = 0;
  /** The place of the oldest page. */
  #oldest = 0;
  /** Length of the scratch file, and what is free in it: positions by size. */
  #end = 0;
  readonly #free = new Map<number, number[]>();

  /** How many values may be sorted at once. */
  readonly sortable: number;

  /**
   * @param budget bytes of pages that are kept in memory
   * @param open opens the scratch file, when it is needed
   */
  constructor(
    budget = Number.POSITIVE_INFINITY,
    open: () => Scratch = notNeeded,
    sortable = Math.floor(budget / BUDGET_PER_SORTED_VALUE),
  ) {
    this.#budget = budget;
    this.#open = open;
    this.sortable = Math.max(FEWEST_SORTED, sortable);
  }

  /** Bytes of the scratch file; 0 while everything is in memory. */
  get scratchBytes(): number {
    return this.#end;
  }

  /** Counts a page, and makes room for it. Other pages are evicted, so that none may be written to that was looked up before. */
  hold(page: HeldPage): void {
    if (this.#budget === Number.POSITIVE_INFINITY) return;
    this.#enqueue(page);
    this.#held += page.bytes;
    while (this.#held > this.#budget && this.#evictOldest(page)) {
      // One after another.
    }
  }

  /** A page that its owner no longer holds. */
  drop(page: HeldPage): void {
    if (page.place === undefined) return;
    this.#dequeue(page);
    this.#held -= page.bytes;
  }

  #enqueue(page: HeldPage): void {
    page.place = this.#from + this.#queue.length;
    this.#queue.push(page);
  }

  #dequeue(page: HeldPage): void {
    if (page.place !== undefined) this.#queue[page.place - this.#from] = undefined;
    page.place = undefined;
  }

  /** @returns false when only the newest is left */
  #evictOldest(newest: HeldPage): boolean {
    while (this.#queue[this.#oldest - this.#from] === undefined) this.#oldest += 1;
    const page = this.#queue[this.#oldest - this.#from];
    if (page === undefined || page === newest) return false;
    if (page.used) {
      page.used = false;
      this.#dequeue(page);
      this.#enqueue(page);
    } else {
      this.drop(page);
      page.evict();
    }
    if (this.#oldest - this.#from > Math.max(CUT_FROM, this.#queue.length / 2)) {
      this.#queue = this.#queue.slice(this.#oldest - this.#from);
      this.#from = this.#oldest;
    }
    return true;
  }

  /** Writes bytes and returns their position. */
  write(bytes: Uint8Array): number {
    this.#scratch ??= this.#open();
    const free = this.#free.get(bytes.length)?.pop();
    const at = free ?? this.#end;
    this.#scratch.write(bytes, at);
    if (free === undefined) this.#end += bytes.length;
    return at;
  }

  read(at: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    this.#scratch?.read(bytes, at);
    return bytes;
  }

  /** What was written there is not needed any more. */
  release(at: number, length: number): void {
    const free = this.#free.get(length) ?? [];
    this.#free.set(length, free);
    free.push(at);
  }
}

function notNeeded(): Scratch {
  throw new Error("A store without a budget has no scratch file");
}
