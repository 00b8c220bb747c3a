/** Times in which most requests failed, as under a load balancer whose service restarts. Pure. */

/** A time of failures. Instants in milliseconds since 1970, of when requests were due. */
export interface FailureTime {
  readonly from: number;
  /** When the first request was due after the last of the failures; undefined where they go on. */
  readonly to: number | undefined;
}

/** So many more failures than successes are no chance. */
const LEAST = 10;
/** So many successes more than failures end it, however long it was. */
const MOST = 20;
/** Shorter ones are single failures of several requests at once. */
const SHORTEST_MS = 1_000;

interface Begun {
  readonly from: number;
  last: number;
  next: number | undefined;
  isOne: boolean;
}

/** Finds them by a cumulative sum, in which a failure counts 1 and a success -1. A load without any success has none. */
export class FailureTimes {
  readonly #ended: FailureTime[] = [];
  #begun: Begun | undefined;
  #sum = 0;
  #sawSuccess = false;

  /** Takes the next request, in the order in which they were due. */
  add(at: number, hasFailed: boolean): void {
    if (!hasFailed) {
      this.#sawSuccess = true;
      if (this.#begun === undefined) return;
      this.#begun.next ??= at;
      this.#sum -= 1;
      if (this.#sum <= 0) this.#close();
      return;
    }
    this.#begun ??= { from: at, last: at, next: undefined, isOne: false };
    this.#sum = Math.min(MOST, this.#sum + 1);
    this.#begun.isOne ||= this.#sum >= LEAST;
    this.#begun.last = at;
    this.#begun.next = undefined;
  }

  /** All of them, when no more requests come. */
  found(): readonly FailureTime[] {
    this.#close();
    return this.#sawSuccess ? this.#ended : [];
  }

  #close(): void {
    const { from, last, next, isOne } = this.#begun ?? {};
    if (isOne && from !== undefined && last !== undefined && last - from >= SHORTEST_MS)
      this.#ended.push({ from, to: next });
    this.#begun = undefined;
    this.#sum = 0;
  }
}
