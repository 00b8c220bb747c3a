import { describe, expect, test } from "vitest";
import { openTasks } from "./open-tasks.ts";

describe("a journal of video tasks", () => {
  const line = (row: object): string => JSON.stringify(row);

  test("leaves open what was accepted and never seen to end", async () => {
    const lines = [
      line({ event: "submitting", id: "1" }),
      line({ event: "accepted", id: "1", task: "a" }),
      line({ event: "submitting", id: "2" }),
      line({ event: "accepted", id: "2", task: "b" }),
      line({ event: "ended", task: "a", state: "completed" }),
    ];
    expect(await openTasks(lines)).toEqual({ tasks: ["b"], unanswered: [], statuses: new Map(), damaged: 0 });
  });

  test("names submissions that may have made a task", async () => {
    const lines = [
      line({ event: "submitting", id: "1" }),
      line({ event: "unknown", id: "1" }),
      line({ event: "submitting", id: "2" }),
      line({ event: "refused", id: "2" }),
      line({ event: "submitting", id: "3" }),
    ];
    expect(await openTasks(lines)).toEqual({ tasks: [], unanswered: ["1", "3"], statuses: new Map(), damaged: 0 });
  });

  test("knows the status of a response that names no task", async () => {
    const lines = [line({ event: "submitting", id: "1" }), line({ event: "unknown", id: "1", status: 200 })];
    expect(await openTasks(lines)).toMatchObject({ unanswered: ["1"], statuses: new Map([["1", 200]]) });
  });

  test("loses only the lines that cannot be read", async () => {
    const lines = [
      line({ event: "accepted", id: "1", task: "a" }),
      '{"event":"accepted","id":"2","ta',
      line({ event: "exploded", task: "a" }),
      line({ event: "accepted", id: "3", task: "c" }),
    ];
    expect(await openTasks(lines)).toEqual({ tasks: ["a", "c"], unanswered: [], statuses: new Map(), damaged: 2 });
  });

  test("counts a last line that was cut off, which may have told of a task", async () => {
    const lines = [line({ event: "accepted", id: "1", task: "a" }), '{"event":"acc'];
    expect(await openTasks(lines)).toMatchObject({ tasks: ["a"], damaged: 1 });
  });

  test("says when a task whose end was seen goes on after all", async () => {
    const accepted = line({ event: "accepted", id: "1", task: "a" });
    const lines = [accepted, line({ event: "ended", task: "a", state: "cancelled" }), accepted];
    expect((await openTasks(lines)).tasks).toEqual(["a"]);
  });
});
