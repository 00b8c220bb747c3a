import { expect, test } from "vitest";
import type { RequestRecord } from "../../../formats/records.ts";
import { instant } from "../../../tests/support/results/load-run.ts";
import { withRead } from "../../../tests/support/results/summarize-shards.ts";
import { historyOf, videoRecords } from "../../../tests/support/results/video-records.ts";
import type { SubmittedTask } from "../read/task-histories.ts";
import { Sample } from "../stats/sample.ts";
import { cancelsOf, type Tasks, videoMetrics, videoTotals } from "./video-metrics.ts";

const tasksOf = (...stories: readonly string[][]): (SubmittedTask | undefined)[] =>
  stories.map((story, index) => historyOf(videoRecords(`t${index}`, story)).submitted());

/** Does something with the tasks that these requests are of. */
const inTasks = <T>(records: readonly RequestRecord[], use: (tasks: Tasks) => Promise<T>): Promise<T> =>
  withRead(records, ({ database }) => use({ database, which: {} }));

const recordsOf = (stories: readonly string[][]): RequestRecord[] =>
  stories.flatMap((story, index) => videoRecords(`t${index}`, story));

const metricsOf = (...stories: readonly string[][]) =>
  inTasks(recordsOf(stories), (tasks) => videoMetrics(tasks, () => new Sample()));

const COMPLETED = [
  "submit@0",
  "poll@1000:processing:0",
  "poll@2000:processing:30",
  "poll@3000:processing:70",
  "poll@4000:completed",
];

test("a completed task has a queue, a work, a number of polls and a detection error", async () => {
  expect(await metricsOf(COMPLETED)).toEqual({
    video_queue: { unit: "ms", count: 1, mean: 2_010, min: 2_010, max: 2_010 },
    video_work: { unit: "ms", count: 1, mean: 4_010, min: 4_010, max: 4_010 },
    video_work_scheduled: { unit: "ms", count: 1, mean: 4_010, min: 4_010, max: 4_010 },
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
  ["cancelled", ["submit@0", "poll@1000:processing", "cancel@1011:500", "poll@2000:cancelled"]],
  ["cancel_lost_race", ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:completed"]],
  ["completed", ["submit@0", "poll@1000:processing", "poll@2000:completed"]],
  ["failed", ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:failed"]],
  ["cancelled_by_target", ["submit@0", "poll@1000:cancelled"]],
  ["uncancelled", ["submit@0", "poll@1000:processing", "cancel@1011", "poll@2000:processing"]],
  ["uncancelled", ["submit@0", "poll@1000:processing", "cancel@1011", "poll@2000:completed"]],
  [
    "uncancelled",
    ["submit@0", "poll@1000:processing", "cancel@1011:409", "poll@2000:processing", "poll@3000:completed"],
  ],
  ["uncancelled", ["submit@0", "poll@1000:processing", "cancel@1011:500", "poll@2000:completed"]],
  ["uncancelled", ["submit@0", "poll@1000:processing", "cancel@1011", "poll@2000:processing", "clean@90000"]],
  ["timed_out", ["submit@0", "poll@1000:processing", "giveup@50000"]],
  ["timed_out", ["submit@0", "poll@1000:lost", "giveup@50000:500", "clean@90000"]],
  ["orphaned", ["submit@0", "poll@1000:lost", "giveup@50000:500"]],
  ["unfinished", ["submit@0", "poll@1000:processing", "clean@90000"]],
  ["unfinished", ["submit@0", "poll@1000:processing", "cancel@90000"]],
  ["orphaned", ["submit@0", "poll@1000:processing"]],
  ["orphaned", ["submit@0"]],
  ["orphaned", ["submit@0", "poll@1000:lost", "clean@90000:500"]],
])("a task is %s when its history is %j", (end, story) => {
  expect(tasksOf(story)[0]?.end).toBe(end);
});

test.each(["completed", "failed", "cancelled"])(
  "a task whose end is told in another form is over, and none that may still run: %s",
  (state) => {
    const told = (story: readonly string[]) =>
      historyOf(
        videoRecords("a", story).map(
          (record): RequestRecord => (record.task_state === state ? { ...record, outcome: "contract" } : record),
        ),
      ).submitted();
    const task = told(["submit@0", "poll@1000:processing", `poll@2000:${state}`]);
    expect(task).toMatchObject({ end: "contract", figures: { work: undefined } });
    expect(task?.overAt).toBe(Date.parse(instant(2_010)));
    expect(told(["submit@0", "poll@1000:processing"])?.end).toBe("orphaned");
  },
);

test("an end that the first poll shows is bounded by the submission, and without progress there is no queue", async () => {
  const metrics = await metricsOf(["submit@0", "poll@1000:completed"]);
  expect(metrics["video_detection_error"]?.max).toBe(1_010);
  expect(metrics).not.toHaveProperty("video_queue");
});

test("work is of completed tasks only", async () => {
  const metrics = await metricsOf(
    COMPLETED,
    ["submit@0", "poll@9000:failed"],
    ["submit@0", "poll@1:processing:9", "cancel@12"],
  );
  expect(metrics["video_work"]).toMatchObject({ count: 1, max: 4_010 });
  expect(metrics["video_outcome"]).toMatchObject({ count: 3, parts: { completed: 1, failed: 1, cancelled: 1 } });
});

test("a video that could not be read changes nothing about its task; one that we ended says nothing", async () => {
  const done = ["submit@0", "poll@1000:completed"];
  const [read, gone, none] = [[...done, "fetch@1010"], [...done, "fetch@1010:404"], done];
  const metrics = await metricsOf(read, gone, none);
  expect(metrics["video_outcome"]?.parts).toEqual({ completed: 3 });
  expect(metrics["video_fetch"]).toMatchObject({ count: 1, max: 10 });
  expect(metrics["video_bytes"]).toMatchObject({ unit: "bytes", count: 1, max: 4_096 });
  const figures = tasksOf(read, gone, none).map((task) => [task?.figures.fetch, task?.figures.unfetched]);
  expect(figures).toEqual([
    [10, false],
    [undefined, true],
    [undefined, false],
  ]);
  const from = Date.parse(instant(0));
  const span = { origin: from, from, to: from + 4_000, seconds: 4 };
  const totals = await inTasks(recordsOf([read, gone, none]), (tasks) => videoTotals({ tasks, span }, {}));
  expect(totals["video_fetch_failed"]).toEqual({ unit: "share", count: 2, value: 0.5 });
  const cut = videoRecords("cut", gone).map(
    (record): RequestRecord => (record.op === "video.fetch" ? { ...record, outcome: "cancelled_by_us" } : record),
  );
  expect(historyOf(cut).submitted()?.figures).toMatchObject({ fetch: undefined, unfetched: false });
});

test("a task without a submission is not counted", async () => {
  expect(tasksOf(COMPLETED.slice(1))).toEqual([undefined]);
  expect((await metricsOf(COMPLETED.slice(1), COMPLETED))["video_outcome"]?.count).toBe(1);
});

test("work from the scheduled start is longer by what the arrival waited, and a closed loop has none", () => {
  const late = videoRecords("late", COMPLETED).map((record) =>
    record.op === "video.submit" ? { ...record, scheduled: instant(-500), lag: 500 } : record,
  );
  expect(historyOf(late).submitted()?.figures).toMatchObject({ work: 4_010, workScheduled: 4_510 });
  const closed = videoRecords("closed", COMPLETED).map(({ lag: _, ...record }) => record);
  expect(historyOf(closed).submitted()?.figures.workScheduled).toBeUndefined();
});

/** A task that is to be cancelled at a point, and costs something where it completes. */
const planned = (task: string, cancelAt: string, history: readonly string[]) =>
  videoRecords(task, history).map((record) => ({
    ...record,
    ...(record.op === "video.submit" && { cancel_at: cancelAt }),
    ...(record.op === "video.cancel" && { cancel_reason: "asked" as const, e2e: record.status === 200 ? 20 : 5 }),
    ...(record.task_state === "completed" && { cost: 0.35 }),
  }));

const PLANNED = [
  planned("a", "50%", ["submit@0", "poll@1000:processing:60", "cancel@1010", "poll@2000:cancelled"]),
  planned("b", "50%", ["submit@500", "poll@1500:completed"]),
  planned("c", "90%", ["submit@600", "poll@1600:processing:95", "cancel@1610:409", "poll@2600:completed"]),
  planned("d", "at-once", ["submit@700", "cancel@710", "poll@1700:processing", "poll@2700:completed"]),
].flat();

test("tasks that were to be cancelled are counted by when, with the duration of the cancels that were accepted", async () => {
  const latency = { unit: "ms", count: 1, mean: 20, min: 20, max: 20 };
  expect(await inTasks(PLANNED, cancelsOf)).toEqual([
    { at: "50%", tasks: 2, ends: { cancelled: 1, completed: 1 }, latency },
    { at: "90%", tasks: 1, ends: { cancel_lost_race: 1 } },
    { at: "at-once", tasks: 1, ends: { uncancelled: 1 } },
  ]);
  expect(await inTasks(recordsOf([COMPLETED]), cancelsOf)).toBeUndefined();
});

test("all tasks together have a rate of polls, a number that is open at once, and a cost", async () => {
  const from = Date.parse(instant(0));
  const span = { origin: from, from, to: from + 4_000, seconds: 4 };
  const metrics = await inTasks(PLANNED, (tasks) => videoTotals({ tasks, span }, {}));
  expect(metrics).toMatchObject({
    video_polls_per_s: { unit: "1/s", count: 7, value: 7 / 4 },
    video_polls_peak: { value: 4 },
    video_open: { unit: "count", count: 4 },
    video_cost_sum: { unit: "cost", count: 3 },
  });
  expect(metrics["video_cost_sum"]?.value).toBeCloseTo(1.05, 9);
  // From 1000 to 2000: a until 1030, b until 1510, c all the time, d again from the poll that shows that it goes on.
  expect(metrics["video_open"]?.value).toBeCloseTo(0.03 + 0.51 + 1 + 1, 6);
  expect(await inTasks([], (tasks) => videoTotals({ tasks, span }, {}))).toEqual({});
});
