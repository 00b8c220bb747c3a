import { describe, expect, test } from "vitest";
import { openTasks } from "./open-tasks.ts";

describe("a journal of video tasks", () => {
  const line = (row: object): string => JSON.stringify(row);

  test("leaves open what was accepted and never seen to end", () => {
    const lines = [
      line({ event: "submitting", id: "1" }),
      line({ event: "accepted", id: "1", task: "a" }),
      line({ event: "submitting", id: "2" }),
      line({ event: "accepted", id: "2", task: "b" }),
      line({ event: "ended", task: "a", state: "completed" }),
    ];
    expect(openTasks(lines)).toEqual({ tasks: ["b"], unanswered: [] });
  });

  test("names submissions that may have made a task", () => {
    const lines = [
      line({ event: "submitting", id: "1" }),
      line({ event: "unknown", id: "1" }),
      line({ event: "submitting", id: "2" }),
      line({ event: "refused", id: "2" }),
      line({ event: "submitting", id: "3" }),
    ];
    expect(openTasks(lines)).toEqual({ tasks: [], unanswered: ["1", "3"] });
  });
});
