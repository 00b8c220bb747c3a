/** Video tasks that do not go as they should: what the scenario does, what is recorded, and that none is left open. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { type TaskEvent, taskEvent } from "../../formats/tasks.ts";
import { wholeLines } from "../../scripts/cli/file-lines.ts";
import { stockK6 } from "../support/build-stock-k6.ts";
import { loadToEnd } from "../support/load-to-end.ts";
import { recordsOf } from "../support/read-results.ts";
import { type MockProcess, startMockProcess } from "../support/spawned-mock.ts";

const CLIENTS = [
  ["with the extension", () => ({})],
  ["of a stock k6", () => ({ ASSAY_K6: stockK6() })],
] as const;

/** Two tasks, each polled ten times per second. */
async function load(mock: MockProcess, env: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const shape = ["--rate", "2", "--duration", "1s", "--warmup", "0", "--poll-interval", "100ms", "--drain", "20s"];
  const { folder, stdout } = await loadToEnd("video", mock.url, [...shape, ...more], env);
  const lines = wholeLines(join(folder, "tasks.jsonl"));
  return { stdout, records: recordsOf(folder), events: lines.map((line) => taskEvent.parse(JSON.parse(line))) };
}

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

test.each(CLIENTS)("a cancel that was forgotten is seen by the next poll: a load %s", async (_, env) => {
  const mock = await startMockProcess("--timing", "instant", "--work", "1s", "--fault", "video-cancel-forgotten");
  const { records, events } = await load(mock, env(), "--cancel-share", "1");
  const story = ["submit processing", "poll processing", "cancel asked cancelled", "poll processing", "poll completed"];
  expect(storiesOf(records)).toEqual([story, story]);
  for (const task of new Set(records.map((record) => record.task ?? ""))) {
    expect(eventsOf(events, task)).toEqual(["accepted", "ended", "accepted", "ended"]);
  }
});

test.each(CLIENTS)("a task that takes too long is given up and cancelled at once: a load %s", async (_, env) => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const { records } = await load(mock, env(), "--cancel-share", "0", "--task-timeout", "500ms");
  const story = ["submit processing", "poll processing", "cancel given_up cancelled", "poll cancelled"];
  expect(storiesOf(records)).toEqual([story, story]);
  expect(await mock.openTasks()).toBe(0);
});

test.each(CLIENTS)("what the end of the run leaves open is cancelled by the clean-up: a load %s", async (_, env) => {
  const mock = await startMockProcess("--timing", "instant", "--work", "10m");
  const { records } = await load(mock, env(), "--cancel-share", "0", "--drain", "300ms");
  const cancels = records.filter(({ op }) => op === "video.cancel");
  expect(cancels).toHaveLength(2);
  for (const { cancel_reason, arrival } of cancels)
    expect({ cancel_reason, arrival }).toEqual({ cancel_reason: "clean_up" });
  expect(await mock.openTasks()).toBe(0);
});

test.each(CLIENTS)("an id that is given twice does not conform: a load %s", async (_, env) => {
  const mock = await startMockProcess("--timing", "instant", "--work", "300ms", "--fault", "video-same-id");
  const { records } = await load(mock, env(), "--cancel-share", "0");
  const submissions = records.filter(({ op }) => op === "video.submit");
  submissions.sort((a, b) => a.sent.localeCompare(b.sent));
  expect(submissions.map(({ outcome, detail }) => detail ?? outcome)).toEqual([
    "ok",
    `The id "${submissions[0]?.task}" was given to an earlier submission too.`,
  ]);
  expect(submissions[1]?.outcome).toBe("contract");
});
