/** The life of video tasks, put together from the requests that name them. A task counts when its submission does. */

import { TERMINAL_STATES } from "../../../contract/service.ts";
import type { RequestRecord } from "../../../formats/records.ts";
import type { MetricResult } from "../../../formats/run.ts";
import { readInstant } from "../../../settings/instants.ts";
import { distribution } from "../stats/quantiles.ts";

const VIDEO_ENDS = ["completed", "failed", "cancelled", "cancel_lost_race", "timed_out", "orphaned"] as const;
type VideoEnd = (typeof VIDEO_ENDS)[number];

/** Instants in milliseconds since 1970. */
interface Look {
  readonly sent: number;
  readonly end: number;
  readonly state: string | undefined;
  readonly progress: number | undefined;
}

interface Cancel {
  readonly sent: number;
  readonly ok: boolean;
  /** Sent by the clean-up after the run: in the drain, and not right after a look at the task as a user does. */
  readonly cleanUp: boolean;
  readonly refused: boolean;
  readonly measured: boolean;
}

interface Task {
  submitted: { readonly sent: number; readonly measured: boolean } | undefined;
  polls: number;
  readonly looks: Look[];
  readonly cancels: Cancel[];
}

/** A user who cancels does so this soon after a look, in milliseconds. */
const AT_ONCE_MS = 25;

const isEnd = (state: string | undefined): boolean => TERMINAL_STATES.some((end) => end === state);

export class VideoTasks {
  readonly #tasks = new Map<string, Task>();

  add(record: RequestRecord): void {
    if (!record.op.startsWith("video.") || record.task === undefined) return;
    const task = this.#tasks.get(record.task) ?? { submitted: undefined, polls: 0, looks: [], cancels: [] };
    this.#tasks.set(record.task, task);
    const sent = readInstant(record.sent);
    const measured = record.phase === "measure";
    const ok = record.outcome === "ok";
    if (record.op === "video.submit" && ok) task.submitted = { sent, measured };
    if (record.op === "video.poll") {
      task.polls += 1;
      if (ok)
        addLook(task, { sent, end: sent + (record.e2e ?? 0), state: record.task_state, progress: record.progress });
    }
    if (record.op === "video.cancel") {
      const status = record.status ?? 0;
      const refused = record.outcome === "http_error" && status >= 400 && status < 500;
      const cleanUp = record.phase === "drain" && sent - (task.looks.at(-1)?.end ?? 0) > AT_ONCE_MS;
      task.cancels.push({ sent, ok, refused, measured, cleanUp });
    }
  }

  /** Cancels of the measured phase that were refused because their task had already ended by itself. */
  lostRaces(): number {
    let count = 0;
    for (const task of this.#tasks.values()) {
      const end = finalLook(task)?.state;
      if (end !== "completed" && end !== "failed") continue;
      count += task.cancels.filter(({ refused, measured }) => refused && measured).length;
    }
    return count;
  }

  /** The metrics of tasks; absent are those that nothing was seen of. */
  metrics(): Record<string, MetricResult> {
    const counted = [...this.#tasks.values()].flatMap((task) =>
      task.submitted?.measured === true ? [{ ...task, begin: task.submitted.sent }] : [],
    );
    if (counted.length === 0) return {};
    const results: Record<string, MetricResult> = {};
    const put = (name: string, unit: string, values: readonly (number | undefined)[]) => {
      const summary = distribution(Float64Array.from(values.filter((value) => value !== undefined)).sort());
      if (summary !== undefined) results[name] = { unit, ...summary };
    };
    const ended = counted.filter((task) => finalLook(task) !== undefined);
    put(
      "video_queue",
      "ms",
      counted.map((task) => since(task.begin, task.looks.find(working))),
    );
    put(
      "video_work",
      "ms",
      counted.map((task) => since(task.begin, finalLook(task, "completed"))),
    );
    put(
      "video_polls",
      "count",
      ended.map(({ polls }) => polls),
    );
    put(
      "video_detection_error",
      "ms",
      ended.map((task) => since(lookBefore(task), finalLook(task))),
    );
    results["video_outcome"] = { unit: "count", count: counted.length, parts: countEnds(counted) };
    return results;
  }
}

/** Keeps what a life is told by: the first sign of work, the newest look, and at the end the look before it. */
function addLook(task: Task, look: Look): void {
  const last = task.looks.at(-1);
  if (isEnd(last?.state)) return;
  const firstWork = last !== undefined && working(last) && !task.looks.slice(0, -1).some(working);
  if (last !== undefined && !firstWork && !isEnd(look.state)) task.looks.pop();
  task.looks.push(look);
}

const working = ({ state, progress }: Look): boolean => state === "processing" && (progress ?? 0) > 0;
const finalLook = ({ looks }: Task, state?: string): Look | undefined =>
  looks.find((look) => isEnd(look.state) && (state === undefined || look.state === state));
const lookBefore = ({ looks, begin }: Task & { begin: number }): number =>
  looks.filter((look) => !isEnd(look.state)).at(-1)?.sent ?? begin;
const since = (begin: number, look: Look | undefined): number | undefined =>
  look === undefined ? undefined : look.end - begin;

function endOf(task: Task): VideoEnd {
  const seen = finalLook(task)?.state;
  const byUser = task.cancels.filter(({ cleanUp }) => !cleanUp);
  if (seen === "completed" || seen === "failed") return byUser.length > 0 ? "cancel_lost_race" : seen;
  if (seen === "cancelled" || byUser.some(({ ok }) => ok)) return "cancelled";
  return task.cancels.some(({ ok }) => ok) ? "timed_out" : "orphaned";
}

function countEnds(tasks: readonly Task[]): Record<string, number> {
  const parts: Record<string, number> = {};
  for (const end of VIDEO_ENDS) {
    const count = tasks.filter((task) => endOf(task) === end).length;
    if (count > 0) parts[end] = count;
  }
  return parts;
}
