/** Submits video tasks and takes the steps of a probe with them; knows at all times which tasks are open. */

import { isTerminal, PATHS, TASK_STATES, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { canonical } from "../../lib/json.ts";
import { idOf, memberOf } from "../judges/json-path.ts";
import { isSuccess, UNDECIDED_STATUSES } from "../judges/status.ts";
import { createdNothing } from "../judges/task-history.ts";
import type { LeftOut, Step, TaskProbe } from "../model/probe.ts";
import { isInvalid } from "./request-risk.ts";
import { type Fillings, filled, type RequestSpec } from "./request-sender.ts";
import { sleep } from "./waiting.ts";

export interface TaskRunnerOptions {
  /** Sends in turn with all other requests. */
  readonly send: (request: RequestSpec) => Promise<Exchange>;
  /** Sends without waiting for a turn: for the clean-up, whose time is short. */
  readonly sendAtOnce: (request: RequestSpec) => Promise<Exchange>;
  readonly journal: (event: TaskEvent) => void;
  readonly fillings: Fillings;
  readonly pollIntervalMs: number;
  /** Longest wait for a task to end by itself. */
  readonly taskTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Is told how many tasks wait for their next poll, and when the first of these polls is due. */
  readonly waiting?: (tasks: number, nextPollMs: number) => void;
}

/** One submitted task on its way. */
interface SubmittedTask {
  readonly probe: TaskProbe;
  readonly exchanges: Exchange[];
  readonly startedMs: number;
  readonly task: string | undefined;
  polls: number;
  lastPollMs: number;
  /** It had not ended when its time was up; it is cancelled, and what follows is no evidence. */
  gaveUp: boolean;
}

const CLEAN_UP = "clean-up";

/** Runs tasks from their submission to their end. */
export class TaskRunner {
  readonly #options: TaskRunnerOptions;
  readonly #open = new Set<string>();
  /** What tasks were submitted without, since the target refuses it. */
  readonly #without = new Map<string, LeftOut>();
  /** When each poll that is waited for is due. */
  readonly #duePolls = new Set<{ readonly atMs: number }>();
  /** How long a task takes to end by itself, once one did. */
  #normalMs: number | undefined;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
  }

  /** Submits a task; steps can be taken with it when the target accepted it. */
  async submit(probe: TaskProbe): Promise<SubmittedTask> {
    const { send, journal, fillings, signal } = this.#options;
    const startedMs = performance.now();
    const exchange = await send({
      ...probe,
      probe: probe.name,
      method: "POST",
      path: PATHS.videos,
      body: canonical(filled(probe.body, fillings)),
      signal,
      once: true,
      before: (id) => journal({ event: "submitting", id }),
      after: (id, exchange) => this.#submitted(id, exchange, probe),
    });
    const task = isSuccess(exchange) ? taskOf(exchange) : undefined;
    return {
      probe,
      exchanges: [exchange],
      startedMs,
      task,
      polls: 0,
      lastPollMs: Number.NEGATIVE_INFINITY,
      gaveUp: false,
    };
  }

  /** Takes steps with a task, in order, as long as the run and the time of the task last. */
  async take(submitted: SubmittedTask, steps: readonly Step[]): Promise<void> {
    for (const [index, step] of submitted.task === undefined ? [] : steps.entries()) {
      if (submitted.gaveUp || this.#options.signal.aborted) return;
      await this.#step(submitted, step);
      if (step === "cancel" && steps[index + 1] !== "poll") await this.#lookAfterRefusal(submitted);
    }
  }

  /** Cancels every task that is still open, all at once: there are few. @returns ids of those that could not be. */
  async cancelOpen(signal: AbortSignal): Promise<readonly string[]> {
    await Promise.all(
      [...this.#open].map(async (task) => {
        if (!signal.aborted) await this.#cancel(task, CLEAN_UP, signal);
        if (!signal.aborted && this.#open.has(task)) await this.#poll(task, CLEAN_UP, signal);
      }),
    );
    return [...this.#open];
  }

  #submitted(id: string, exchange: Exchange, probe: TaskProbe): void {
    const { journal } = this.#options;
    const status = exchange.answer?.status;
    const task = taskOf(exchange);
    if (createdNothing(exchange, isInvalid(probe))) journal({ event: "refused", id });
    else if (task === undefined) journal({ event: "unknown", id, ...(status !== undefined && { status }) });
    else {
      this.#open.add(task);
      if (probe.without !== undefined) this.#without.set(task, probe.without);
      journal({ event: "accepted", id, task });
    }
  }

  async #step(submitted: SubmittedTask, step: Step): Promise<void> {
    const { signal } = this.#options;
    const task = submitted.task ?? "";
    if (step === "cancel") submitted.exchanges.push(await this.#cancel(task, submitted.probe.name, signal));
    else if (step === "cancel-unkeyed")
      submitted.exchanges.push(await this.#cancel(task, submitted.probe.name, signal, "none"));
    else if (step === "poll-unkeyed")
      submitted.exchanges.push(await this.#poll(task, submitted.probe.name, signal, "none"));
    else if (step === "poll") await this.#pollOnce(submitted);
    else if (step === "poll-at-once") await this.#pollOnce(submitted, 0);
    else if (step === "poll-to-end") await this.#pollToEnd(submitted);
    else await sleep(submitted.startedMs + this.#longMs - performance.now(), signal);
  }

  /** By when a task would have ended by itself, from its submission. */
  get #longMs(): number {
    return this.#normalMs === undefined ? this.#options.pollIntervalMs : 1.5 * this.#normalMs + this.#endedIntervalMs;
  }

  /** Polls after a cancel that was refused, which is wrong only of a task that is still processing. */
  async #lookAfterRefusal(submitted: SubmittedTask): Promise<void> {
    const status = submitted.exchanges.at(-1)?.answer?.status ?? 0;
    if (status >= 400 && status < 500 && !UNDECIDED_STATUSES.includes(status)) await this.#pollOnce(submitted);
  }

  async #pollToEnd(submitted: SubmittedTask): Promise<void> {
    const { taskTimeoutMs, signal } = this.#options;
    while (!isTerminal(memberOf(submitted.exchanges.at(-1), "status"))) {
      if (signal.aborted || isLost(submitted.exchanges)) return;
      if (performance.now() - submitted.startedMs > taskTimeoutMs) return this.#giveUp(submitted);
      await this.#pollOnce(submitted);
    }
    this.#normalMs ??= performance.now() - submitted.startedMs;
  }

  /** Cancels a task for which it is not worth waiting. That we cancel it says nothing about the target. */
  async #giveUp(submitted: SubmittedTask): Promise<void> {
    submitted.gaveUp = true;
    await this.#cancel(submitted.task ?? "", CLEAN_UP, this.#options.signal);
  }

  async #pollOnce(submitted: SubmittedTask, intervalMs = this.#intervalOf(submitted)): Promise<void> {
    const { signal } = this.#options;
    const spacing = intervalMs * 2 ** Math.floor(submitted.polls / POLLS_AT_A_PACE);
    await this.#waitForPoll(submitted.lastPollMs + spacing);
    if (signal.aborted) return;
    submitted.lastPollMs = performance.now();
    submitted.polls += 1;
    submitted.exchanges.push(await this.#poll(submitted.task ?? "", submitted.probe.name, signal));
  }

  #intervalOf({ task = "" }: SubmittedTask): number {
    return this.#open.has(task) ? this.#options.pollIntervalMs : this.#endedIntervalMs;
  }

  get #endedIntervalMs(): number {
    return Math.min(this.#options.pollIntervalMs, ENDED_POLL_MS);
  }

  async #waitForPoll(atMs: number): Promise<void> {
    if (atMs <= performance.now()) return;
    const due = { atMs };
    this.#duePolls.add(due);
    this.#tellWaiting();
    await sleep(atMs - performance.now(), this.#options.signal);
    this.#duePolls.delete(due);
    this.#tellWaiting();
  }

  #tellWaiting(): void {
    this.#options.waiting?.(this.#duePolls.size, Math.min(...[...this.#duePolls].map(({ atMs }) => atMs)));
  }

  async #poll(task: string, probe: string, signal: AbortSignal, key?: "none"): Promise<Exchange> {
    return await this.#ask(task, { probe, method: "GET", path: videoTaskPath(task), signal, ...(key && { key }) });
  }

  async #cancel(task: string, probe: string, signal: AbortSignal, key?: "none"): Promise<Exchange> {
    return await this.#ask(task, { probe, method: "POST", path: videoCancelPath(task), signal, ...(key && { key }) });
  }

  async #ask(task: string, request: RequestSpec): Promise<Exchange> {
    const { send, sendAtOnce } = this.#options;
    const without = this.#without.get(task);
    const exchange = await (request.probe === CLEAN_UP ? sendAtOnce : send)({
      ...request,
      ...(without && { without }),
    });
    this.#notice(task, exchange);
    return exchange;
  }

  /** Closes a task once a response reports that it has ended. */
  #notice(task: string, exchange: Exchange): void {
    const state = memberOf(exchange, "status");
    if (!isSuccess(exchange) || typeof state !== "string" || !isTerminal(state) || !this.#open.delete(task)) return;
    this.#options.journal({ event: "ended", task, state });
  }
}

/** Longest time between two polls of a task that has ended: there is nothing to wait for. */
const ENDED_POLL_MS = 500;

/** Polls after which the interval doubles, so that a long wait leaves few exchanges. */
const POLLS_AT_A_PACE = 500;

const MOST_LOST_POLLS = 5;

/** Whether the last polls all failed to say in which state the task is, so that waiting for its end is pointless. */
const isLost = (exchanges: readonly Exchange[]): boolean =>
  exchanges.length > MOST_LOST_POLLS &&
  exchanges.slice(-MOST_LOST_POLLS).every((poll) => !TASK_STATES.some((state) => state === memberOf(poll, "status")));

/** An id that is longer fits into no address that servers take. */
const LONGEST_ID = 2_000;

/** The id of an accepted task; a number still serves to cancel it. Half a character fits into no address. */
function taskOf(exchange: Exchange): string | undefined {
  const id = idOf(exchange);
  return id === undefined || id.length > LONGEST_ID ? undefined : id.replace(/\p{Cs}/gu, "\ufffd");
}
