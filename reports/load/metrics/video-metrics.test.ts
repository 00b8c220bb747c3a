import { expect, test } from "vitest";
import { videoRecords } from "../../../tests/support/video-records.ts";
import { TaskHistories } from "../read/task-histories.ts";
import { videoMetrics } from "./video-metrics.ts";

function histories(...stories: string[][]): TaskHistories {
  const tasks = new TaskHistories();
  for (const [index, story] of stories.entries()) {
    for (const record of videoRecords(`t${index}`, story)) tasks.add(record);
  }
  return tasks;
}

const metricsOf = (...stories: string[][]) => videoMetrics(histories(...stories).measured());

const COMPLETED = [
  "submit@0",
  "poll@1000:processing:0",
  "poll@2000:processing:30",
  "poll@3000:processing:70",
  "poll@4000:completed",
];

test("a completed task has a queue, a work, a number of polls and a detection error", () => {
  expect(metricsOf(COMPLETED)).toEqual({
    video_queue: { unit: "ms", count: 1, mean: 2_010, min: 2_010, max: 2_010 },
    video_work: { unit: "ms", count: 1, mean: 4_010, min: 4_010, max: 4_010 },
    video_polls: { unit: "count", count: 1, mean: 4, min: 4, max: 4 },
    video_detection_error: { unit: "ms", count: 1, mean: 1_010, min: 1_010, max: 1_010 },
    video_outcome: { unit: "count", count: 1, parts: { completed: 1 } },
  });
});

test.each([
  ["completed", COMPLETED],
  ["failed", ["submit@0", "poll@1000:processing", "poll@2000:failed"]],
  ["cancelled", ["submit@0", "poll@1000:processing", "cancel@1011"]],
  ["cancelled", ["submit@0", "poll@1000:processing", "cancel@1011", "poll@2000:cancelled"]],
  ["cancelled", ["submit@0", "poll@61000:processing", "cancel@61011"]],
  ["cancel_lost_race", ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:completed"]],
  ["timed_out", ["submit@0", "poll@1000:processing", "cancel@90000"]],
  ["orphaned", ["submit@0", "poll@1000:processing"]],
  ["orphaned", ["submit@0"]],
  ["orphaned", ["submit@0", "poll@1000:lost", "cancel@90000:500"]],
])("a task is %s when its history is %j", (end, story) => {
  expect(metricsOf(story)["video_outcome"]?.parts).toEqual({ [end]: 1 });
});

test("an end that the first poll shows is bounded by the submission, and without progress there is no queue", () => {
  const metrics = metricsOf(["submit@0", "poll@1000:completed"]);
  expect(metrics["video_detection_error"]?.max).toBe(1_010);
  expect(metrics).not.toHaveProperty("video_queue");
});

test("work is of completed tasks only", () => {
  const metrics = metricsOf(
    COMPLETED,
    ["submit@0", "poll@9000:failed"],
    ["submit@0", "poll@1:processing:9", "cancel@12"],
  );
  expect(metrics["video_work"]).toMatchObject({ count: 1, max: 4_010 });
  expect(metrics["video_outcome"]).toMatchObject({ count: 3, parts: { completed: 1, failed: 1, cancelled: 1 } });
});

test("a task of the warm-up or without a submission is not counted", () => {
  const tasks = new TaskHistories();
  for (const record of videoRecords("w", COMPLETED)) tasks.add({ ...record, phase: "warmup" });
  for (const record of videoRecords("x", COMPLETED.slice(1))) tasks.add(record);
  expect(videoMetrics(tasks.measured())).toEqual({});
});

test("a cancel that was refused after the task's own end is not an error of the target", () => {
  expect(histories(["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:completed"]).lostRaces()).toBe(1);
  expect(histories(["submit@0", "poll@1000:processing", "cancel@1011:500", "poll@2000:completed"]).lostRaces()).toBe(0);
  expect(histories(["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:processing"]).lostRaces()).toBe(
    0,
  );
});
