/** Counts of all requests: unlike rows of the ground truth, they are never evicted. */

export interface Counts {
  readonly requests: number;
  /** Number of requests by route and status; status 0 is a request without a response. */
  readonly byRoute: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly streams: { readonly started: number; readonly completed: number; readonly left: number };
}

/** Keys of requests whose repetitions are counted; of more, the oldest are forgotten. */
const MOST_KEYS = 10_000;

export class Counters {
  readonly #replies = new Map<string, number>();
  readonly #byRoute = new Map<string, Map<number, number>>();
  readonly streams = { started: 0, completed: 0, left: 0 };
  #requests = 0;

  count(route: string, status: number): void {
    this.#requests += 1;
    const statuses = this.#byRoute.get(route) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.#byRoute.set(route, statuses);
  }

  /** How often a chat request of this key came before: the same one gets another id each time. */
  repetition(key: string): number {
    const before = this.#replies.get(key) ?? 0;
    this.#replies.set(key, before + 1);
    const [oldest] = this.#replies.keys();
    if (this.#replies.size > MOST_KEYS && oldest !== undefined) this.#replies.delete(oldest);
    return before;
  }

  clear(): void {
    this.#replies.clear();
    this.#requests = 0;
    this.#byRoute.clear();
    Object.assign(this.streams, { started: 0, completed: 0, left: 0 });
  }

  snapshot(): Counts {
    const byRoute = [...this.#byRoute].map(([route, statuses]) => [route, Object.fromEntries(statuses)]);
    return { requests: this.#requests, byRoute: Object.fromEntries(byRoute), streams: { ...this.streams } };
  }
}
