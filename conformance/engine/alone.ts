/**
 * Lets requests pass side by side, and finds out whether the target cuts a response when another request comes, as a server
 * does that serves one at a time: what was cut while another was open is asked again alone. Where that is whole, all that
 * follows goes alone.
 */

import type { Exchange } from "../../formats/exchanges.ts";
import type { Interference } from "../../formats/verdicts.ts";

/** A request on its way. */
export interface Pass {
  /** Whether another request was open meanwhile. */
  shared: boolean;
  readonly leave: () => void;
}

interface Waiting {
  readonly alone: boolean;
  readonly go: () => void;
}

const wasCut = ({ answer, failure }: Exchange): boolean => answer !== undefined && failure?.kind === "reset";

export class Alone {
  readonly #open = new Set<Pass>();
  readonly #queue: Waiting[] = [];
  /** A request that goes alone is open. */
  #isTaken = false;
  #isMode = false;
  /** What requests came to that were cut beside others and asked again alone. */
  #whole = 0;
  #cutAgain = 0;

  /** What was found; undefined where nothing was cut that was whole alone. */
  get found(): Interference | undefined {
    return this.#whole > this.#cutAgain ? { cut: this.#whole + this.#cutAgain, whole: this.#whole } : undefined;
  }

  /** Waits for a turn, which an abort ends. The pass must be left. */
  async enter(again: boolean, signal: AbortSignal): Promise<Pass> {
    const alone = again || this.#isMode;
    if (!signal.aborted && (this.#queue.length > 0 || !this.#isFree(alone)))
      await new Promise<void>((resolve) => {
        const go = (): void => {
          signal.removeEventListener("abort", leaveQueue);
          resolve();
        };
        const waiting = { alone, go };
        const leaveQueue = (): void => {
          this.#queue.splice(this.#queue.indexOf(waiting), 1);
          go();
        };
        signal.addEventListener("abort", leaveQueue);
        this.#queue.push(waiting);
      });
    const pass: Pass = {
      shared: this.#open.size > 0,
      leave: () => {
        this.#open.delete(pass);
        if (alone) this.#isTaken = false;
        this.#next();
      },
    };
    for (const other of this.#open) other.shared = true;
    this.#open.add(pass);
    this.#isTaken ||= alone;
    // Those that may go beside this one follow.
    if (!alone) this.#next();
    return pass;
  }

  #isFree(alone: boolean): boolean {
    return !this.#isTaken && (!alone || this.#open.size === 0);
  }

  #next(): void {
    const [first] = this.#queue;
    if (first === undefined || !this.#isFree(first.alone)) return;
    this.#queue.shift();
    if (first.alone) this.#isTaken = true;
    first.go();
  }

  /** Whether an exchange is to be asked again alone. @param again whether it was asked again already */
  isToRepeat(exchange: Exchange, { shared }: Pass, again: boolean): boolean {
    if (!again) return wasCut(exchange) && shared && this.#cutAgain <= this.#whole;
    if (wasCut(exchange)) this.#cutAgain += 1;
    else if (exchange.failure === undefined) {
      this.#whole += 1;
      this.#isMode = true;
    }
    return false;
  }
}
