import { expect, test } from "vitest";
import { openTasks } from "./open-tasks.ts";

const submitting = (id: string) => ({ event: "submitting", id });
const accepted = (id: string, task: string) => ({ event: "accepted", id, task });
const ended = (task: string, state: string) => ({ event: "ended", task, state });

/** Texts are lines as they stand; what is expected is nothing open, but for what is said. */
test.each<[string, readonly (object | string)[], Partial<Awaited<ReturnType<typeof openTasks>>>]>([
  [
    "leaves open what was accepted and never seen to end",
    [submitting("1"), accepted("1", "a"), submitting("2"), accepted("2", "b"), ended("a", "completed")],
    { tasks: ["b"] },
  ],
  [
    "names submissions that may have made a task",
    [...["1", "2", "3"].map(submitting), { event: "unknown", id: "1" }, { event: "refused", id: "2" }],
    { unanswered: ["1", "3"] },
  ],
  [
    "knows the status of a response that names no task",
    [submitting("1"), { event: "unknown", id: "1", status: 200 }],
    { unanswered: ["1"], statuses: new Map([["1", 200]]) },
  ],
  [
    "loses only the lines that cannot be read",
    [accepted("1", "a"), '{"event":"accepted","id":"2","ta', { event: "exploded", task: "a" }, accepted("3", "c")],
    { tasks: ["a", "c"], damaged: 2 },
  ],
  [
    "counts a last line that was cut off, which may have told of a task",
    [accepted("1", "a"), '{"event":"acc'],
    { tasks: ["a"], damaged: 1 },
  ],
  [
    "says when a task whose end was seen goes on after all",
    [accepted("1", "a"), ended("a", "cancelled"), accepted("1", "a")],
    { tasks: ["a"] },
  ],
])("a journal of video tasks %s", async (_, rows, open) => {
  const lines = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
  expect(await openTasks(lines)).toEqual({ tasks: [], unanswered: [], statuses: new Map(), damaged: 0, ...open });
});
