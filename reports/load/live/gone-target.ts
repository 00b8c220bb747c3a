/** Whether a target has stopped responding, from the counts of a load that is running. Pure. */

import type { ClientLine } from "../../../formats/client.ts";
import { endedByUs, OUTCOMES } from "../../../formats/outcomes.ts";
import { formatDuration } from "../../../settings/units.ts";

/** So many requests must have ended without a response: one or two may have been unlucky. */
const FEWEST_REQUESTS = 5;

/** These say nothing about the target. */
const OURS = [...OUTCOMES.filter(endedByUs), "client_error"];

type Counts = Pick<ClientLine, "answered" | "completed" | "outcomes">;

/** Requests that ended without a response and were neither cancelled by us nor failed on this machine. */
function unansweredOf({ answered = 0, completed = 0, outcomes = {} }: Counts): number {
  const ours = OURS.reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0);
  return Math.max(0, completed - answered - ours);
}

export class GoneTarget {
  readonly limitMs: number;
  /** The line after which every request that ended had no response; undefined while there is none. */
  #since: { readonly t: number; readonly unanswered: number } | undefined;
  #before: ClientLine | undefined;

  /** @param limitMs how long the target may be silent, in milliseconds; 0: for ever */
  constructor(limitMs: number) {
    this.limitMs = limitMs;
  }

  /** The target may be silent for ever. */
  get isOff(): boolean {
    return this.limitMs === 0;
  }

  /** Takes the next line of `client.jsonl`; returns what was observed when the target is gone. */
  look(line: ClientLine): string | undefined {
    const { answered } = line;
    const before = this.#before;
    this.#before = line;
    if (this.isOff || answered === undefined) return undefined;
    const unanswered = unansweredOf(line);
    const earlier = before === undefined ? 0 : unansweredOf(before);
    if (answered > (before?.answered ?? 0)) this.#since = undefined;
    else if (this.#since === undefined && unanswered > earlier) {
      this.#since = { t: before?.t ?? 0, unanswered: earlier };
    }
    if (this.#since === undefined) return undefined;
    const failed = unanswered - this.#since.unanswered;
    if (failed < FEWEST_REQUESTS || (line.t - this.#since.t) * 1_000 < this.limitMs) return undefined;
    const never = answered === 0 ? ", and to none before" : "";
    return `no response to ${failed} requests for ${formatDuration(Math.round(line.t - this.#since.t) * 1_000)}${never}`;
  }
}
