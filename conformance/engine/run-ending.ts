/** What ends a run before its clauses are checked: a stop, the deadline, a silent target; and until when it still checks. */

import { reasonOf } from "../../settings/usage-error.ts";
import type { RunSettings } from "./conformance-settings.ts";

export interface RunSignals {
  /**
   * Stops the run gently: nothing new is sent, a submission that is under way is waited for, open tasks are cancelled.
   * Clauses whose responses had not all come by then get no verdict in the files.
   */
  readonly stop?: AbortSignal | undefined;
  /** Ends it at once: also what a gentle stop waits for. */
  readonly kill?: AbortSignal | undefined;
}

/** How long clauses are still checked once the run has ended; what is not checked by then is NOT-RUN. */
const JUDGE_MS = 500;

export class RunEnding {
  readonly #end = new AbortController();
  readonly #signals: RunSignals;
  #endedAt = Number.POSITIVE_INFINITY;
  #responded = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(signals: RunSignals) {
    this.#signals = signals;
    this.#end.signal.addEventListener("abort", () => {
      this.#endedAt = performance.now();
    });
  }

  /** From now on the time counts. */
  start({ deadline, silenceMs }: Pick<RunSettings, "deadline" | "silenceMs">): void {
    const endWith = (reason: string) => (): void => this.#end.abort(new Error(reason));
    this.#timers = [
      setTimeout(endWith("the deadline had passed"), deadline),
      setTimeout(() => {
        if (!this.#responded) endWith(`the target had returned nothing within ${silenceMs / 1_000} s`)();
      }, silenceMs),
    ];
    const stopped = endWith("the run was stopped");
    for (const signal of [this.#signals.stop, this.#signals.kill]) {
      if (signal?.aborted) stopped();
      else signal?.addEventListener("abort", stopped, { once: true });
    }
  }

  /** The target is not silent. */
  sawResponse(): void {
    this.#responded = true;
  }

  /** Aborts when the run ends early. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isStopped(): boolean {
    return this.#signals.stop?.aborted === true || this.#signals.kill?.aborted === true;
  }

  /** For how long it has ended early; 0 while it has not. */
  get sinceMs(): number {
    return Math.max(0, performance.now() - this.#endedAt);
  }

  /** Why it ended early; undefined while it has not. */
  readonly reason = (): string | undefined => (this.signal.aborted ? reasonOf(this.signal.reason) : undefined);

  /** Why nothing more is checked; undefined while it is. */
  readonly tooLate = (): string | undefined => (this.sinceMs > JUDGE_MS ? this.reason() : undefined);

  /** The run is over. */
  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
