/**
 * A line of `tasks.jsonl`: the journal of the video tasks that a run creates. Every event is written as it happens, so
 * that tasks can be cancelled even when the process that created them was killed.
 */

import { z } from "zod";

/** When the event happened, ISO 8601. */
const at = z.iso.datetime({ offset: true }).optional();
/** `x-request-id` of the submission. */
const id = z.string();

export const taskEvent = z.discriminatedUnion("event", [
  z.object({ event: z.literal("submitting"), at, id }),
  z.object({ event: z.literal("accepted"), at, id, task: z.string() }),
  /** No task was created. */
  z.object({ event: z.literal("refused"), at, id }),
  /** The submission failed in such a way that a task may exist. */
  z.object({ event: z.literal("unknown"), at, id }),
  /** The task was seen in a terminal state. */
  z.object({ event: z.literal("ended"), at, task: z.string(), state: z.string() }),
]);
export type TaskEvent = z.infer<typeof taskEvent>;
