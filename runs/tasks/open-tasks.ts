/**
 * Video tasks that a run created and did not see end. Every run journals its tasks (`tasks.jsonl`) before and after each
 * submission, so that they can be cancelled even when the process that made them was killed.
 */

import { join } from "node:path";
import { linesOf } from "../../cli/file-lines.ts";
import { FILES } from "../../formats/file-names.ts";
import { taskEvent } from "../../formats/tasks.ts";
import { type Lines, readLines } from "../../reports/json-lines.ts";

export interface OpenTasks {
  /** Ids of tasks that were accepted and are not known to have ended. */
  readonly tasks: readonly string[];
  /** `x-request-id` of submissions whose response names no task, or that got none: a task may or may not exist. */
  readonly unanswered: readonly string[];
  /** Statuses of those that got a response, by `x-request-id`. */
  readonly statuses: ReadonlyMap<string, number>;
  /** Lines that could not be read. They cost what they said, and not the rest. */
  readonly damaged: number;
}

/**
 * Reads the journal of a result folder.
 * @throws UsageError when it is no file, such as a pipe
 */
export const openTasksOf = (folder: string): Promise<OpenTasks> => openTasks(linesOf(join(folder, FILES.tasks)));

/** What the lines of a journal leave open. A last line that was cut off counts as damaged: it may have told of a task. */
export async function openTasks(lines: Lines): Promise<OpenTasks> {
  const tasks = new Set<string>();
  const unanswered = new Set<string>();
  const statuses = new Map<string, number>();
  const { count, cutOff } = await readLines(FILES.tasks, lines, (value) => {
    const row = taskEvent.parse(value);
    if (row.event === "submitting") unanswered.add(row.id);
    else if (row.event === "ended") tasks.delete(row.task);
    else if (row.event !== "unknown") unanswered.delete(row.id);
    if (row.event === "unknown" && row.status !== undefined) statuses.set(row.id, row.status);
    if (row.event === "accepted") tasks.add(row.task);
  });
  return { tasks: [...tasks], unanswered: [...unanswered], statuses, damaged: count + Number(cutOff) };
}
