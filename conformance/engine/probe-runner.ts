/** Carries out probes: each once, requests side by side up to a limit, video tasks one at a time within their budget. */

import { PATHS } from "../../contract/service.ts";
import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { canonical } from "../../lib/json.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import { memberOf } from "../judges/json-path.ts";
import { wasServed } from "../judges/refusal.ts";
import { cameTooLate, createdNothing, only } from "../judges/task-history.ts";
import { type Probe, plainName, type RequestProbe, type TaskProbe } from "../model/probe.ts";
import { chat } from "../probes/chat.ts";
import { embed } from "../probes/embeddings.ts";
import type { CarefulLane } from "./careful-lane.ts";
import type { NotRun } from "./evaluator.ts";
import { isInvalid, riskOf } from "./request-risk.ts";
import { type Fillings, filled, type RequestSpec } from "./request-sender.ts";
import type { TaskRunner } from "./task-runner.ts";
import { Lane, type Limit } from "./waiting.ts";

export interface ProbeRunnerOptions {
  readonly send: (request: RequestSpec) => Promise<Exchange>;
  readonly tasks: TaskRunner;
  readonly fillings: Fillings;
  /** Takes turns with the tasks' requests. */
  readonly limit: Limit;
  /** Decides when what may be refused is sent. */
  readonly lane: CarefulLane;
  readonly maxVideoJobs: number;
  readonly signal: AbortSignal;
}

/** Why nothing more is sent: the reason for which the run was ended. */
const ended = ({ reason }: AbortSignal): NotRun => ({ notRun: reasonOf(reason), ended: true });
/** Valid requests that may stand between invalid ones, the cheapest first. */
const CHECKS: readonly RequestProbe[] = [embed(), chat()];
/** Times that a task is submitted again because it ended before it could be cancelled. */
const MOST_RETRIES = 2;

export class ProbeRunner {
  readonly #options: ProbeRunnerOptions;
  readonly #lane = new Lane();
  readonly #jobs: VideoJobs;
  readonly #exchanges = new Map<string, Promise<Exchanges | NotRun>>();
  /** By endpoint, the valid requests that the target served, the cheapest first. */
  readonly #served = new Map<string, RequestProbe[]>();
  #checks = 0;

  constructor(options: ProbeRunnerOptions) {
    this.#options = options;
    this.#jobs = new VideoJobs(options.maxVideoJobs);
  }

  /** The exchanges of a probe, which is carried out at the first call. */
  exchangesOf(probe: Probe): Promise<Exchanges | NotRun> {
    const before = this.#exchanges.get(probe.name);
    if (before !== undefined) return before;
    const risk = riskOf(probe);
    const kind = probe.kind === "task" ? PATHS.videos : probe.path;
    const order = probe.kind === "task" ? probe.order : 0;
    const exchanges = this.#options.lane.run(risk, kind, order, () =>
      probe.kind === "task" ? this.#task(probe) : this.#request(probe, risk !== "valid"),
    );
    this.#exchanges.set(probe.name, exchanges);
    return exchanges;
  }

  /** Sends a short valid request that the target served before, to that endpoint if there is one; undefined where it served none. */
  async check(path: string): Promise<Exchange | undefined> {
    const probe = (this.#served.get(path) ?? [...this.#served.values()][0])?.[0];
    if (probe === undefined) return undefined;
    this.#checks += 1;
    const sent = await this.#request({ ...probe, name: `${probe.name} check=${this.#checks}` }, true);
    return "notRun" in sent ? undefined : sent[0];
  }

  /** Remembers a valid request that was served, if it is as short as a check should be. */
  #noteServed(probe: RequestProbe, exchange: Exchange | undefined): void {
    const isCheck = CHECKS.some(({ name }) => name === plainName(probe.name));
    if (!isCheck || !wasServed(exchange)) return;
    const served = [...(this.#served.get(probe.path) ?? []), probe];
    this.#served.set(
      probe.path,
      CHECKS.flatMap(({ name }) => served.find((one) => plainName(one.name) === name) ?? []),
    );
  }

  #request(probe: RequestProbe, careful: boolean): Promise<Exchanges | NotRun> {
    const { send, limit, fillings, signal } = this.#options;
    const { name, body, raw, ...rest } = probe;
    return limit(async () => {
      if (signal.aborted) return ended(signal);
      const filledIn = body === undefined ? undefined : canonical(filled(body, fillings));
      const text = raw ?? filledIn;
      const sent = await send({ ...rest, ...(text !== undefined && { body: text }), probe: name, signal, careful });
      this.#noteServed(probe, sent);
      return [sent];
    });
  }

  async #task(probe: TaskProbe): Promise<Exchanges | NotRun> {
    const leave = await this.#lane.enter(probe.order);
    try {
      return await this.#job(probe, leave);
    } finally {
      leave();
    }
  }

  /** One job after another until its task was there to be cancelled; the lane is free while the time of its end is waited for. */
  async #job(probe: TaskProbe, leave: () => void): Promise<Exchanges | NotRun> {
    const { tasks, signal } = this.#options;
    const late = probe.steps.includes("wait-past-end") ? probe.steps.indexOf("wait-past-end") : probe.steps.length;
    const earlier: Exchange[] = [];
    for (let retry = 0; ; retry += 1) {
      if (signal.aborted) return earlier.length > 0 ? earlier : ended(signal);
      if (!this.#jobs.reserve()) return earlier.length > 0 ? earlier : { notRun: this.#jobs.spentReason };
      const submitted = await tasks.submit(probe);
      this.#jobs.settle(submitted.exchanges[0], isInvalid(probe));
      await tasks.take(submitted, probe.steps.slice(0, late));
      if (!probe.retryIfEnded || retry === MOST_RETRIES || !endedFirst(submitted.exchanges)) {
        leave();
        await tasks.take(submitted, probe.steps.slice(late));
        return [...earlier, ...submitted.exchanges];
      }
      earlier.push(...submitted.exchanges);
    }
  }
}

/** Whether the first cancel of a task found it ended. */
function endedFirst(submitted: Exchanges): boolean {
  const [cancel] = only(submitted, "cancel");
  return cancel !== undefined && cameTooLate(cancel, memberOf(only(submitted, "poll").at(-1), "status"));
}

/** The budget of video jobs: one is reserved before each submission, and given back when the target refused. */
class VideoJobs {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a job; false when none is left. */
  reserve(): boolean {
    if (this.#used >= this.#most) return false;
    this.#used += 1;
    return true;
  }

  /** Gives the job back when the response shows that no task was created. */
  settle(submission: Exchange | undefined, isInvalid: boolean): void {
    if (submission !== undefined && createdNothing(submission, isInvalid)) this.#used -= 1;
  }

  get spentReason(): string {
    return `the budget of ${this.#most} video jobs was spent; raise --max-video-jobs`;
  }
}
