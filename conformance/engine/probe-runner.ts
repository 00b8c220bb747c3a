/** Carries out probes: each once, requests side by side up to a limit, video jobs one at a time within their budget. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { canonical } from "../../lib/json.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { memberOf } from "../judges/json-path.ts";
import { isTerminal, only } from "../judges/task-history.ts";
import type { Probe, RequestProbe, TaskProbe } from "../model/probe.ts";
import { isPackedAccepted } from "./judge-clause.ts";
import { type Fillings, filled, type RequestSpec } from "./request-sender.ts";
import type { TaskRunner } from "./task-runner.ts";
import { VideoJobs } from "./video-budget.ts";
import { Lane, type Limit } from "./waiting.ts";

/** A probe that was not carried out, and why. */
export interface NotRun {
  readonly notRun: string;
}
export const isNotRun = (seen: Exchanges | NotRun): seen is NotRun => "notRun" in seen;

export interface ProbeRunnerOptions {
  readonly send: (sending: RequestSpec) => Promise<Exchange>;
  readonly tasks: TaskRunner;
  readonly fillings: Fillings;
  /** Takes turns with the tasks' requests. */
  readonly limit: Limit;
  readonly maxVideoJobs: number;
  readonly signal: AbortSignal;
}

/** Why nothing is sent any more: the reason that the run was ended with. */
const over = ({ reason }: AbortSignal): NotRun => ({ notRun: reasonOf(reason) });
/** Times that a task is submitted again because it ended before it could be cancelled. */
const RACES = 2;

export class ProbeRunner {
  readonly #options: ProbeRunnerOptions;
  readonly #lane = new Lane();
  readonly #jobs: VideoJobs;
  readonly #seen = new Map<string, Promise<Exchanges | NotRun>>();

  constructor(options: ProbeRunnerOptions) {
    this.#options = options;
    this.#jobs = new VideoJobs(options.maxVideoJobs);
  }

  /** What a probe saw; it is carried out at the first call. */
  exchangesOf(probe: Probe): Promise<Exchanges | NotRun> {
    const before = this.#seen.get(probe.name);
    if (before !== undefined) return before;
    const seen = probe.kind === "task" ? this.#packedOrOwn(probe) : this.#request(probe);
    this.#seen.set(probe.name, seen);
    return seen;
  }

  #request({ name, body, ...rest }: RequestProbe): Promise<Exchanges | NotRun> {
    const { send, limit, fillings, signal } = this.#options;
    return limit(async () => {
      if (signal.aborted) return over(signal);
      const text = body === undefined ? {} : { body: canonical(filled(body, fillings)) };
      return [await send({ ...rest, ...text, probe: name, signal })];
    });
  }

  async #packedOrOwn(probe: TaskProbe): Promise<Exchanges | NotRun> {
    if (probe.packedIn !== undefined) {
      const packed = await this.exchangesOf(probe.packedIn);
      if (!isNotRun(packed) && isPackedAccepted(packed)) return packed;
    }
    const leave = await this.#lane.enter(probe.order);
    try {
      return await this.#job(probe, leave);
    } finally {
      leave();
    }
  }

  /** One job after another until its task was there to be cancelled; the lane is free while a task is outlived. */
  async #job(probe: TaskProbe, leave: () => void): Promise<Exchanges | NotRun> {
    const { tasks, signal } = this.#options;
    const late = probe.steps.includes("wait-past-end") ? probe.steps.indexOf("wait-past-end") : probe.steps.length;
    const earlier: Exchange[] = [];
    for (let race = 0; ; race += 1) {
      if (signal.aborted) return earlier.length > 0 ? earlier : over(signal);
      if (!this.#jobs.reserve()) return earlier.length > 0 ? earlier : { notRun: this.#jobs.spentReason };
      const submitted = await tasks.submit(probe);
      this.#jobs.settle(submitted.exchanges[0]);
      await tasks.take(submitted, probe.steps.slice(0, late));
      if (!probe.retryIfEnded || race === RACES || !endedFirst(submitted.exchanges)) {
        leave();
        await tasks.take(submitted, probe.steps.slice(late));
        return [...earlier, ...submitted.exchanges];
      }
      earlier.push(...submitted.exchanges);
    }
  }
}

/** Whether the first cancel of a submitted was refused because the task had ended by itself. */
function endedFirst(submitted: Exchanges): boolean {
  const [cancel] = only(submitted, "cancel");
  const state = memberOf(only(submitted, "poll").at(-1), "status");
  return (cancel?.answer?.status ?? 0) >= 400 && state !== "cancelled" && isTerminal(state);
}
