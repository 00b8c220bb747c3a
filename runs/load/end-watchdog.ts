/**
 * Ends a k6 that does not end by itself: past the latest end that its settings allow, and after an interrupt that it does not
 * follow. All times are those of timers, which the clock of the machine does not change.
 */

import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import { usersHere } from "../../load/shape/streams.ts";
import { CLEAN_UP_MS } from "../../settings/clean-up-time.ts";
import { PRIME_MS, primedIn } from "../../settings/load/workload.ts";

/** How long k6 may take for what no setting bounds. Milliseconds. */
export interface Allowances {
  /** To start, in addition to making virtual users. */
  readonly startMs: number;
  readonly perUserMs: number;
  /** To cancel its video tasks. */
  readonly teardownMs: number;
  /** To end the requests under way and to write its files. */
  readonly endMs: number;
}

const ALLOWANCES: Allowances = { startMs: 45_000, perUserMs: 20, teardownMs: CLEAN_UP_MS, endMs: 15_000 };

/** Timers of Node take no longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * When k6 has ended at the latest, in milliseconds from its start.
 * @param nowMs milliseconds since 1970, for a load that waits for `startAt`
 */
export function latestEndMs(settings: LoadSettings, nowMs: number, allowances: Allowances = ALLOWANCES): number {
  const { startAt = nowMs, warmup, duration, drain } = settings;
  const { startMs, perUserMs, teardownMs, endMs } = allowances;
  const before = primedIn(settings.workloads).length > 0 ? PRIME_MS : 0;
  const schedule = before + Math.max(0, startAt - nowMs) + warmup + duration + drain;
  return startMs + usersHere(settings) * perUserMs + schedule + teardownMs + endMs;
}

/** What a watchdog does to k6. */
interface Ends {
  /** Asks it to end; `passedMs` have passed. */
  readonly ask: (passedMs: number) => void;
  readonly kill: () => void;
}

/** Watches over one k6; `stop` ends the watch. */
export class EndWatchdog {
  readonly #ends: Ends;
  readonly #allowances: Allowances;
  readonly #startedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #endMs = Number.POSITIVE_INFINITY;
  #asked = false;
  #interrupted = false;
  #stopped = false;

  constructor(ends: Ends, allowances: Allowances = ALLOWANCES) {
    this.#ends = ends;
    this.#allowances = allowances;
  }

  /** True when k6 had to be ended. */
  get hasEnded(): boolean {
    return this.#asked;
  }

  /** Sets the latest end, so many milliseconds from now; an earlier one remains. */
  within(ms: number): void {
    this.#endMs = Math.min(this.#endMs, this.#passed() + ms);
    this.#wait();
  }

  /** Tells that k6 was asked to end by an interrupt: when it does not follow in the time for a clean-up, it is killed. */
  interrupted(): void {
    this.#interrupted = true;
    this.within(this.#allowances.teardownMs);
  }

  /** Ends the watch: k6 has ended, and later interrupts concern what comes after it. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped = true;
  }

  #passed(): number {
    return performance.now() - this.#startedMs;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#asked || this.#stopped) return;
    const leftMs = this.#endMs - this.#passed();
    const next = leftMs > LONGEST_TIMER_MS ? () => this.#wait() : () => this.#end();
    this.#timer = setTimeout(next, Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS));
  }

  #end(): void {
    this.#asked = true;
    this.#ends.ask(this.#passed());
    // An interrupt has asked it already.
    if (this.#interrupted) this.#ends.kill();
    else this.#timer = setTimeout(this.#ends.kill, this.#allowances.endMs);
  }
}
