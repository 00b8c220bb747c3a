/** Video tasks that do not go as they should: what the scenario does, what is recorded, and that none is left open. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type TaskEvent, taskEvent } from "../../../formats/tasks.ts";
import { wholeLines } from "../../../scripts/cli/file-lines.ts";
import { newFolder } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, loadToEnd } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";
import { failingSubmissions, WAYS_TO_FAIL } from "./failing-submissions.ts";

/** Two tasks, each polled ten times per second. */
async function load(mock: MockProcess, ...more: readonly string[]) {
  const shape = ["--rate", "2", "--duration", "1s", "--warmup", "0", "--poll-interval", "100ms", "--set", "drain=20s"];
  const { folder, stdout } = await loadToEnd("video", mock.url, [...shape, ...more]);
  return { stdout, records: recordsOf(folder), events: eventsIn(folder) };
}

const eventsIn = (folder: string): TaskEvent[] =>
  wholeLines(join(folder, "tasks.jsonl")).map((line) => taskEvent.parse(JSON.parse(line)));

/** What the scenario saw of each task, in order. */
function storiesOf(records: ReturnType<typeof recordsOf>): string[][] {
  const tasks = new Map<string, string[]>();
  for (const { op, task = "", task_state = "", cancel_reason: reason } of records) {
    const story = tasks.get(task) ?? [];
    const step = [op.replace("video.", ""), reason, task_state].filter(Boolean).join(" ");
    if (story.at(-1) !== step) story.push(step);
    tasks.set(task, story);
  }
  return [...tasks.values()];
}

const eventsOf = (events: readonly TaskEvent[], task: string): string[] =>
  events.flatMap((event) => ("task" in event && event.task === task ? [event.event] : []));

test.concurrent("a cancel that was forgotten is seen by the next poll", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "1s", "--fault", "video-cancel-forgotten");
  const { records, events } = await load(mock, "--set", "cancel-share=1");
  const story = ["submit processing", "poll processing", "cancel asked cancelled", "poll processing", "poll completed"];
  expect(storiesOf(records)).toEqual([story, story]);
  for (const task of new Set(records.map((record) => record.task ?? ""))) {
    expect(eventsOf(events, task)).toEqual(["accepted", "ended", "accepted", "ended"]);
  }
});

test.concurrent("a task that takes too long is given up and cancelled at once", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const { records } = await load(mock, "--set", "cancel-share=0", "--set", "task-timeout=500ms");
  const story = ["submit processing", "poll processing", "cancel given_up cancelled", "poll cancelled"];
  expect(storiesOf(records)).toEqual([story, story]);
  expect(await mock.openTasks()).toBe(0);
});

test.concurrent("what the end of the run leaves open is cancelled by the clean-up", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const { records } = await load(mock, "--set", "cancel-share=0", "--set", "drain=3s");
  const cancels = records.filter(({ op }) => op === "video.cancel");
  expect(cancels).toHaveLength(2);
  for (const { cancel_reason, arrival } of cancels)
    expect({ cancel_reason, arrival }).toEqual({ cancel_reason: "clean_up" });
  expect(await mock.openTasks()).toBe(0);
});

test.concurrent("no task is forgotten whose submission returned an error, a number as id, or was cut", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const target = await failingSubmissions(mock.url);
  const shape = ["--rate", String(WAYS_TO_FAIL), "--duration", "1s", "--warmup", "0", "--set", "drain=1m"];
  const tasks = ["--poll-interval", "100ms", "--set", "task-timeout=500ms"];
  const { folder, stderr } = await loadToEnd("video", target, [...shape, ...tasks]);
  const submissions = recordsOf(folder).filter(({ op }) => op === "video.submit");
  const outcomes = submissions.map(({ outcome }) => (outcome === "reset" ? "truncated" : outcome));
  expect(outcomes.toSorted()).toEqual(["contract", "http_error", "http_error", "truncated"]);
  const unknown = eventsIn(folder).filter(({ event }) => event === "unknown");
  const [gateway] = submissions.filter(({ status }) => status === 504);
  expect(unknown).toMatchObject([{ id: gateway?.id, status: 504 }]);
  expect(stderr).toContain(
    `A video task may have been created by request ${gateway?.id}, whose response (status 504) names none.`,
  );
  // That of the gateway has an id that nobody told.
  expect(await mock.openTasks()).toBe(1);
});

test.concurrent("an id that is given twice does not conform", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "300ms", "--fault", "video-same-id");
  const { records } = await load(mock, "--set", "cancel-share=0");
  const submissions = records.filter(({ op }) => op === "video.submit");
  submissions.sort((a, b) => a.sent.localeCompare(b.sent));
  expect(submissions.map(({ outcome, detail }) => detail ?? outcome)).toEqual([
    "ok",
    `The id "${submissions[0]?.task}" was given to an earlier submission too.`,
  ]);
  expect(submissions[1]?.outcome).toBe("contract");
});

/** The shortest time before the first, second, ... poll of a task of this workload, from the request before it, in milliseconds. */
function shortestWaits(records: ReturnType<typeof recordsOf>, name: string): number[] {
  const shortest: number[] = [];
  for (const of of new Set(records.map(({ task }) => task))) {
    const requests = records.filter(({ workload, task }) => workload === name && task === of);
    const sent = requests.map((request) => Date.parse(request.sent));
    for (const [index, at] of sent.slice(1).entries()) {
      shortest[index] = Math.min(shortest[index] ?? Number.POSITIVE_INFINITY, at - (sent[index] ?? at));
    }
  }
  return shortest;
}

/** Tasks that take two seconds, polled ten times per second or less and less often, and some that are cancelled. */
const WORKLOADS = `
rate: 20
duration: 2s
warmup: 0s
poll-interval: 100ms
cancel-share: 0
workloads:
  - { name: fixed, operation: video }
  - { name: backoff, operation: video, poll-schedule: "backoff:2,1s" }
  - { name: cancelled, operation: video, weight: 2, poll-schedule: jitter, cancel-share: 1, cancel-at: [at-once, 50%, 80%, 250ms] }
`;

test.concurrent("tasks are polled and cancelled as the schedules say, and cost what they cost", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "2s");
  const file = join(newFolder(), "videos.yaml");
  writeFileSync(file, WORKLOADS);
  const { run, folder, stdout } = await loadToEnd(undefined, mock.url, ["--workload", file, ...FEW_UNITS]);
  const records = recordsOf(folder);
  const tasks = [...new Set(records.map(({ task }) => task))];
  const counted: Record<string, number> = {};
  for (const id of tasks) {
    const story = records.filter(({ task }) => task === id);
    const [submission] = story;
    const point = submission?.cancel_at;
    expect(point === undefined).toBe(submission?.workload !== "cancelled");
    const at = story.findIndex(({ op }) => op === "video.cancel");
    if (point === undefined || at < 0) continue;
    counted[point] = (counted[point] ?? 0) + 1;
    const before = story.slice(1, at).map(({ progress = 0 }) => progress);
    if (point === "at-once") expect(at).toBe(1);
    if (point === "250ms")
      expect(Date.parse(story[at]?.sent ?? "") - Date.parse(submission?.sent ?? "")).toBeGreaterThan(240);
    const [, percent] = /^(\d+)%$/.exec(point) ?? [];
    if (percent === undefined) continue;
    expect(before.at(-1)).toBeGreaterThanOrEqual(Number(percent));
    expect(before.slice(0, -1).every((progress) => progress < Number(percent))).toBe(true);
  }
  expect(run.cancels?.map(({ at }) => at).toSorted()).toEqual(["250ms", "50%", "80%", "at-once"]);
  expect(counted).toHaveProperty("at-once");
  expect(run.cancels?.find(({ at }) => at === "at-once")?.ends).toEqual({ cancelled: counted["at-once"] });

  const completed = new Set(records.flatMap(({ task, task_state }) => (task_state === "completed" ? [task] : [])));
  expect(run.metrics["video_cost_sum"]).toMatchObject({ count: completed.size });
  expect(run.metrics["video_cost_sum"]?.value).toBeCloseTo(0.5 * completed.size, 6);

  expect(run.check).toMatchObject({ videoTasks: true, findings: [] });
  const [fixed, backoff] = ["fixed", "backoff"].map((name) => shortestWaits(records, name));
  expect(backoff?.[1]).toBeGreaterThan(190);
  expect(backoff?.[2]).toBeGreaterThan(390);
  // The shortest of many waits of 200 ms is below the shortest of many of 400 ms, however late some of them are.
  expect(fixed?.[2]).toBeLessThan(backoff?.[2] ?? 0);
  const rates = Object.values(run.parts ?? {}).map(({ metrics }) => metrics["video_polls_per_s"]?.count ?? Number.NaN);
  expect(rates.reduce((sum, count) => sum + count, 0)).toBe(run.metrics["video_polls_per_s"]?.count);
  expect(stdout).toMatch(/^ *video_polls_per_s +[\d.]+\/s$/m);
  expect(stdout).toMatch(/^ *at-once +\d/m);
  expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("Open video tasks");
});

test.concurrent("the results of tasks are checked by the clauses of the specification", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "300ms", "--fault", "video-poll-other-id");
  const shape = [
    "--rate",
    "2",
    "--duration",
    "1s",
    "--warmup",
    "0",
    "--poll-interval",
    "100ms",
    "--set",
    "cancel-share=0",
  ];
  const { code, run, stdout } = await loadToEnd("video", mock.url, [...shape, ...FEW_UNITS]);
  expect(run.counts).toMatchObject({ ok: 2, failed: 0 });
  expect(code).toBe(1);
  expect(stdout).toContain("violates the specification: video.poll.id.same");
  expect(stdout).toMatch(
    /checked against the specification: \d+ exchanges of all video tasks: \d+ clauses verified, 1 violated/,
  );
  expect(run.check).toMatchObject({ share: 0, videoTasks: true, findings: [{ id: "video.poll.id.same" }] });
});

test.concurrent("users that start one after another are a ramp of open tasks", async () => {
  const mock = await startMockProcess("--timing", "instant", "--work", "500ms");
  const shape = ["--vus", "6", "--set", "ramp-up=3s", "--duration", "3s", "--warmup", "0", "--poll-interval", "100ms"];
  const { run } = await loadToEnd("video", mock.url, [...shape, "--set", "cancel-share=0", ...FEW_UNITS]);
  const [first = 0, , last = 0] = run.windows.map(({ tasks = 0 }) => tasks);
  expect(last).toBeGreaterThan(first + 1);
  expect(run.metrics["video_open"]?.value).toBeLessThanOrEqual(6);
});
