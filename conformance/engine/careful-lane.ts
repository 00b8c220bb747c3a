/**
 * Sends what a target may refuse so that it does no harm: services and what stands before them stop serving after some refusals
 * in a row, or after some wrong keys. Valid requests go first, side by side. Then invalid ones go one at a time, and at last those
 * with other keys; a valid request follows at most three of them. Where that one is no longer served, nothing that came since the
 * last one is evidence: the lane waits until the target serves again, and sends it anew.
 */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import type { Outage } from "../../formats/verdicts.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { isSuccess } from "../judges/status.ts";
import type { NotRun } from "./evaluator.ts";
import { RISKS, type Risk } from "./request-risk.ts";
import { sleep } from "./waiting.ts";

export interface LaneOptions {
  /** Takes each exchange, in the end. */
  readonly record: (exchange: Exchange) => void;
  /** Sends a valid request that was served before; undefined where none was. */
  readonly check: (kind: string) => Promise<Exchange | undefined>;
  /** Longest time that a target which stopped serving is waited for. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

type Result = Exchanges | NotRun;

interface Item {
  readonly risk: Risk;
  /** Tells the endpoints apart: the check that follows is of the same. */
  readonly kind: string;
  /** Lower goes first among those of equal risk. */
  readonly order: number;
  readonly run: () => Promise<Result>;
  readonly resolve: (result: Result) => void;
  tries: number;
}

/** Invalid requests that follow each other at most. */
export const MOST_IN_A_ROW = 3;
const MOST_TRIES = 3;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** What a target returns that has stopped serving. */
const hasStopped = ({ answer }: Exchange): boolean =>
  answer !== undefined && (answer.status === 403 || answer.status === 429 || answer.status >= 500);
/** What it may return then to an invalid request, and seldom otherwise. */
const mayHaveStopped = ({ answer }: Exchange): boolean => [403, 429, 503].includes(answer?.status ?? 0);

export class CarefulLane {
  readonly #options: LaneOptions;
  readonly #queue: Item[] = [];
  /** Exchanges that are not known to be evidence; undefined while all are. */
  #held: Exchange[] | undefined;
  #validOpen = 0;
  #isBusy = false;
  #begun = false;
  #most = MOST_IN_A_ROW;
  #sent = 0;
  /** Why nothing more is sent that may be refused. */
  #closed: string | undefined;
  /** The times at which the target had stopped serving. */
  readonly outages: Outage[] = [];

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Takes an exchange that was made; it is passed on once it is known whether it is evidence. */
  record(exchange: Exchange): void {
    if (this.#held === undefined) this.#options.record(exchange);
    else this.#held.push(exchange);
  }

  /** Runs what sends requests of that risk when its turn comes, lower orders first. */
  run(risk: Risk, kind: string, order: number, run: () => Promise<Result>): Promise<Result> {
    if (risk === "valid" && !this.#begun) return this.#sideBySide(run);
    return new Promise((resolve, reject) => {
      const safe = (): Promise<Result> =>
        run().catch((error: unknown) => {
          reject(error);
          return [];
        });
      this.#queue.push({ risk, kind, order, run: safe, resolve, tries: 0 });
      this.#wake();
    });
  }

  async #sideBySide(run: () => Promise<Result>): Promise<Result> {
    this.#validOpen += 1;
    try {
      return await run();
    } finally {
      this.#validOpen -= 1;
      this.#wake();
    }
  }

  /** Looks for work a moment later, so that all that becomes ready together is there to be chosen from. */
  #wake(): void {
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    if (this.#isBusy || this.#validOpen > 0 || this.#queue.length === 0) return;
    this.#isBusy = true;
    this.#begun = true;
    await this.#batch();
    this.#isBusy = false;
    this.#wake();
  }

  #next(risk?: Risk): Item | undefined {
    const [first] = this.#queue.toSorted((a, b) => RISKS.indexOf(a.risk) - RISKS.indexOf(b.risk) || a.order - b.order);
    if (first === undefined || (risk !== undefined && first.risk !== risk)) return undefined;
    this.#queue.splice(this.#queue.indexOf(first), 1);
    return first;
  }

  /** Sends a few, then a valid request that shows whether their responses are evidence. */
  async #batch(): Promise<void> {
    const done: { readonly item: Item; readonly result: Result }[] = [];
    this.#held = [];
    let last: Exchange | undefined;
    for (let item = this.#next(); item !== undefined; item = this.#next(item.risk)) {
      if (this.#closed !== undefined && item.risk !== "valid") {
        item.resolve({ notRun: this.#closed });
        continue;
      }
      const result = await item.run();
      done.push({ item, result });
      if (item.risk !== "valid") this.#sent += 1;
      last = "notRun" in result ? undefined : result[0];
      if (last !== undefined && mayHaveStopped(last)) break;
      if (done.length >= (item.risk === "key" ? 1 : this.#most)) break;
    }
    const held = this.#held;
    const { signal } = this.#options;
    const isServed = last === undefined || isSuccess(last) || signal.aborted;
    const outage = isServed ? undefined : await this.#outage(done[0]?.item.kind ?? "");
    this.#held = undefined;
    // After the end of the run, no request tells a refusal from a target that has stopped serving.
    const isUnsure = (exchange: Exchange): boolean => signal.aborted && hasStopped(exchange);
    for (const exchange of held)
      this.#options.record(outage === undefined && !isUnsure(exchange) ? exchange : { ...exchange, retried: true });
    for (const { item, result } of done) {
      const isLeft = !("notRun" in result) && result.some(isUnsure);
      this.#settle(item, isLeft ? { notRun: reasonOf(signal.reason), ended: true } : result, outage);
    }
  }

  #settle(item: Item, result: Result, outage: Outage | undefined): void {
    if (outage === undefined) item.resolve(result);
    else if (this.#closed !== undefined) item.resolve({ notRun: this.#closed });
    else if (item.tries + 1 >= MOST_TRIES)
      item.resolve({ notRun: `the target stopped serving each of the ${MOST_TRIES} times that it was sent` });
    else {
      item.tries += 1;
      this.#queue.unshift(item);
    }
  }

  /** The time for which the target no longer serves what it served before; undefined when it serves it. */
  async #outage(kind: string): Promise<Outage | undefined> {
    const { check, patienceMs, signal } = this.#options;
    const before = this.#held ?? [];
    const checked: Exchange[] = [];
    this.#held = checked;
    const began = performance.now();
    const first = await check(kind);
    let now = first;
    for (
      let wait = FIRST_WAIT_MS, left = patienceMs;
      now !== undefined && hasStopped(now) && left > 0 && !signal.aborted;
      wait = Math.min(2 * wait, LONGEST_WAIT_MS)
    ) {
      const pause = Math.min(wait, left);
      left -= pause;
      await sleep(pause, signal);
      now = await check(kind);
    }
    this.#held = before;
    const isBack = now === undefined || !hasStopped(now);
    for (const exchange of checked)
      this.#options.record(isBack && exchange.id === now?.id ? exchange : { ...exchange, retried: true });
    if (first === undefined || !hasStopped(first)) return undefined;
    this.#most = 1;
    const outage = {
      invalidRequests: this.#sent,
      status: first.answer?.status ?? 0,
      ms: Math.round(performance.now() - began),
    };
    this.outages.push(outage);
    if (!isBack && !signal.aborted)
      this.#closed = `the target stopped serving (${outage.status}) after ${outage.invalidRequests} invalid requests, and did not serve again within ${Math.round(outage.ms / 1_000)} s`;
    return outage;
  }
}
