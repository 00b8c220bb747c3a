/** A list of pages of one kind, which a store keeps in memory or in its scratch file. */

import { FloatVector } from "./float-vector.ts";
import type { HeldPage, PageStore } from "./page-store.ts";

/** How pages of a kind are written. */
export interface PageCodec<P> {
  /** Bytes of a page in memory. */
  sizeOf(page: P): number;
  /** A multiple of eight bytes, so that the free space of a scratch file is used again. */
  bytesOf(page: P): Uint8Array;
  pageOf(bytes: Uint8Array): P;
}

/** Bytes of the objects around the numbers of a page. */
const OVERHEAD = 300;

/** A page in memory. It may be written to until another page is asked for; `isChanged` is set then. */
export interface Loaded<P> {
  readonly page: P;
  isChanged: boolean;
}

interface Entry<P> extends Loaded<P>, HeldPage {
  readonly number: number;
}

export class PageList<P> {
  readonly #store: PageStore;
  readonly #codec: PageCodec<P>;
  readonly #loaded = new Map<number, Entry<P>>();
  /** Position and length of each page in the scratch file; a length of 0: it is not there. */
  readonly #places = new FloatVector();
  readonly #lengths = new FloatVector();
  /** The page that was asked for last. */
  #last: Entry<P> | undefined;

  constructor(store: PageStore, codec: PageCodec<P>) {
    this.#store = store;
    this.#codec = codec;
  }

  get length(): number {
    return this.#places.length;
  }

  /** Adds a page at the end, or replaces one. */
  put(number: number, page: P): Loaded<P> {
    if (number === this.#places.length) {
      this.#places.push(0);
      this.#lengths.push(0);
    }
    this.#forget(this.#loaded.get(number));
    return this.#hold(number, page, true);
  }

  /** A page of the list. */
  at(number: number): Loaded<P> {
    if (this.#last?.number === number) return this.#last;
    const entry = this.#loaded.get(number) ?? this.#load(number);
    entry.used = true;
    this.#last = entry;
    return entry;
  }

  /** A page of the list if it is in memory. */
  inMemory(number: number): Loaded<P> | undefined {
    return this.#loaded.get(number);
  }

  /** Gives up all pages: the list is not used any more. */
  release(): void {
    for (const entry of this.#loaded.values()) this.#store.drop(entry);
    this.#loaded.clear();
    this.#last = undefined;
    for (let number = 0; number < this.length; number += 1) this.#releasePlace(number);
  }

  #load(number: number): Entry<P> {
    const bytes = this.#store.read(this.#places.at(number), this.#lengths.at(number));
    return this.#hold(number, this.#codec.pageOf(bytes), false);
  }

  #hold(number: number, page: P, isChanged: boolean): Entry<P> {
    const entry: Entry<P> = {
      number,
      page,
      isChanged,
      used: false,
      place: undefined,
      bytes: this.#codec.sizeOf(page) + OVERHEAD,
      evict: () => this.#evict(entry),
    };
    this.#loaded.set(number, entry);
    this.#store.hold(entry);
    return entry;
  }

  #forget(entry: Entry<P> | undefined): void {
    if (entry === undefined) return;
    this.#store.drop(entry);
    this.#loaded.delete(entry.number);
    if (this.#last === entry) this.#last = undefined;
  }

  #evict(entry: Entry<P>): void {
    this.#forget(entry);
    if (!entry.isChanged) return;
    const bytes = this.#codec.bytesOf(entry.page);
    this.#releasePlace(entry.number);
    this.#places.set(entry.number, this.#store.write(bytes));
    this.#lengths.set(entry.number, bytes.length);
  }

  #releasePlace(number: number): void {
    const length = this.#lengths.at(number);
    if (length > 0) this.#store.release(this.#places.at(number), length);
    this.#lengths.set(number, 0);
  }
}
