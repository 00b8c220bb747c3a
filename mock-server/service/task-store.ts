/**
 * Video tasks. The state of a task is a pure function of the task and the clock, so no timer is needed; only a cancel is
 * stored.
 */

import { randomUUID } from "node:crypto";
import type { TaskState } from "../../contract/service.ts";
import type { TaskRules } from "../base/rules.ts";
import type { TaskClock } from "../timing/task-clock.ts";

export interface Task {
  readonly id: string;
  readonly model: string;
  readonly createdAt: string;
  /** Clock time of the submission. */
  readonly startedMs: number;
  readonly workMs: number;
  readonly fails: boolean;
  readonly cost: number;
  cancelledMs: number | undefined;
  polls: number;
  /** Polls that returned a final state. */
  endPolls: number;
}

/** A task as the control path shows it. */
export interface TaskView {
  readonly id: string;
  readonly model: string;
  readonly state: TaskState;
  readonly createdAt: string;
  readonly progress: number;
  readonly workMs: number;
  readonly polls: number;
  readonly cost: number;
}

export interface NewTask {
  readonly model: string;
  readonly workMs: number;
  readonly fails: boolean;
  readonly cost: number;
}

/** The state of a task at a time of its clock. */
export function stateOf(task: Task, nowMs: number, rules: TaskRules): TaskState {
  const done = !rules.neverEnds && nowMs - task.startedMs >= task.workMs;
  if (task.cancelledMs !== undefined) return rules.cancelledCompletes && done ? "completed" : "cancelled";
  if (!done) return "processing";
  if (task.fails || rules.alwaysFails) return rules.failedCompletes && task.endPolls > 0 ? "completed" : "failed";
  return rules.completedReverts && task.endPolls % 2 === 1 ? "processing" : "completed";
}

/** Progress in percent: 100 only when the work is done. */
export function progressOf(task: Task, nowMs: number): number {
  if (task.workMs <= 0) return 100;
  const elapsed = (task.cancelledMs ?? nowMs) - task.startedMs;
  return Math.max(0, Math.min(100, Math.floor((100 * elapsed) / task.workMs)));
}

const SAME_ID = "task-0";

/** The tasks of one mock: above `cap` tasks, the oldest ended ones are removed. */
export class TaskStore {
  readonly #tasks = new Map<string, Task>();
  readonly #clock: TaskClock;
  readonly #cap: number;
  #sweepAt: number;

  constructor(clock: TaskClock, cap: number) {
    this.#clock = clock;
    this.#cap = cap;
    this.#sweepAt = cap;
  }

  submit({ model, workMs, fails, cost }: NewTask, rules: TaskRules): Task {
    const task: Task = {
      id: rules.sameId ? SAME_ID : `${rules.idPrefix}${randomUUID()}`,
      model,
      createdAt: new Date().toISOString(),
      startedMs: this.#clock.now(),
      workMs,
      fails,
      cost,
      cancelledMs: undefined,
      polls: 0,
      endPolls: 0,
    };
    this.#tasks.set(task.id, task);
    if (this.#tasks.size > this.#sweepAt) this.#sweep(rules);
    return task;
  }

  find(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  /** The state of a task now. */
  state(task: Task, rules: TaskRules): TaskState {
    return stateOf(task, this.#clock.now(), rules);
  }

  progress(task: Task): number {
    return progressOf(task, this.#clock.now());
  }

  cancel(task: Task): void {
    task.cancelledMs = this.#clock.now();
  }

  clear(): void {
    this.#tasks.clear();
    this.#sweepAt = this.#cap;
  }

  views(rules: TaskRules): TaskView[] {
    return [...this.#tasks.values()].map((task) => ({
      id: task.id,
      model: task.model,
      state: this.state(task, rules),
      createdAt: task.createdAt,
      progress: this.progress(task),
      workMs: task.workMs,
      polls: task.polls,
      cost: task.cost,
    }));
  }

  /** Removes the oldest ended tasks; runs again after a tenth more tasks, so that a submission stays cheap. */
  #sweep(rules: TaskRules): void {
    for (const task of this.#tasks.values()) {
      if (this.#tasks.size <= this.#cap) break;
      if (this.state(task, rules) !== "processing") this.#tasks.delete(task.id);
    }
    this.#sweepAt = Math.max(this.#cap, Math.ceil(this.#tasks.size * 1.1));
  }
}
