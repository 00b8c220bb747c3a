/**
 * A line of `tasks.jsonl`: the journal of the video tasks that a run creates. Every event is written as it happens, so
 * that tasks can be cancelled even when the process that created them was killed.
 */

import { z } from "zod";

const at = z.iso.datetime({ offset: true }).optional().describe("when the event happened");
const id = z.string().describe("x-request-id of the submission");
const task = z.string().describe("id of the task");

export const taskEvent = z.discriminatedUnion("event", [
  z.object({ event: z.literal("submitting"), at, id }),
  z
    .object({ event: z.literal("accepted"), at, id, task })
    .describe("a task was created, or one whose end was seen is going on after all"),
  z.object({ event: z.literal("refused"), at, id }).describe("no task was created"),
  z
    .object({
      event: z.literal("unknown"),
      at,
      id,
      status: z.int().optional().describe("of the response, where it is known"),
    })
    .describe("the submission got no complete response or one that names no task, and a task may exist"),
  z
    .object({ event: z.literal("ended"), at, task, state: z.string().describe("the terminal state") })
    .describe("the task was seen in a terminal state"),
]);
export type TaskEvent = z.infer<typeof taskEvent>;
