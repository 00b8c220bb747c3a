/** Video tasks that do not go as they should: what the scenario does, what is recorded, and that none is left open. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { wholeLines } from "../../../cli/file-lines.ts";
import { type TaskEvent, taskEvent } from "../../../formats/tasks.ts";
import { newFile } from "../../support/commands/assay-process.ts";
import { FEW_UNITS, FEW_USERS, loadToEnd, requireMet } from "../../support/commands/load-to-end.ts";
import { recordsOf } from "../../support/results/read-results.ts";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { type MockProcess, mockOfTest } from "../../support/targets/spawned-mock.ts";
import { failingSubmissions, WAYS_TO_FAIL } from "./failing-submissions.ts";

/** Two tasks, each polled ten times per second. */
async function load(mock: MockProcess, ...more: readonly string[]) {
  const shape = ["--rate", "2", "--duration", "1s", "--warmup", "0", "--poll-interval", "100ms", "--set", "drain=20s"];
  const { folder, stdout } = await loadToEnd("video", mock.url, [...FEW_USERS, ...shape, ...more]);
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

test.concurrent("a cancel that was forgotten is seen by the next poll", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "1s", "--fault", "video-cancel-forgotten");
  const { records, events } = await load(mock, "--set", "cancel-share=1");
  const story = ["submit processing", "poll processing", "cancel asked cancelled", "poll processing", "poll completed"];
  expect(storiesOf(records)).toEqual([story, story]);
  for (const task of new Set(records.map((record) => record.task ?? ""))) {
    expect(eventsOf(events, task)).toEqual(["accepted", "ended", "accepted", "ended"]);
  }
});

test.concurrent("a task that takes too long is given up and cancelled at once", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "10m");
  const { records } = await load(mock, "--set", "cancel-share=0", "--set", "task-timeout=500ms");
  const story = ["submit processing", "poll processing", "cancel given_up cancelled", "poll cancelled"];
  expect(storiesOf(records)).toEqual([story, story]);
  expect(await mock.openTasks()).toBe(0);
});

test.concurrent("what the end of the run leaves open is cancelled by the clean-up", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "10m");
  const { records } = await load(mock, "--set", "cancel-share=0", "--set", "drain=3s");
  const cancels = records.filter(({ op }) => op === "video.cancel");
  expect(cancels).toHaveLength(2);
  for (const { cancel_reason, arrival } of cancels)
    expect({ cancel_reason, arrival }).toEqual({ cancel_reason: "clean_up" });
  expect(await mock.openTasks()).toBe(0);
});

test.concurrent("no task is forgotten whose submission returned an error, a number as id, or was cut", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "10m");
  const target = await failingSubmissions(mock.url);
  const shape = ["--rate", String(WAYS_TO_FAIL), "--duration", "1s", "--warmup", "0", "--set", "drain=1m"];
  const tasks = ["--poll-interval", "100ms", "--set", "task-timeout=500ms"];
  const { folder, stderr } = await loadToEnd("video", target, [...FEW_USERS, ...shape, ...tasks]);
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

test.concurrent("an id that is given twice does not conform", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "300ms", "--fault", "video-same-id");
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
max-in-flight: 60
duration: 2s
warmup: 0s
poll-interval: 100ms
cancel-share: 0
workloads:
  - { name: fixed, operation: video }
  - { name: backoff, operation: video, poll-schedule: "backoff:2,1s" }
  - { name: cancelled, operation: video, weight: 2, poll-schedule: jitter, cancel-share: 1, cancel-at: [at-once, 50%, 80%, 250ms] }
`;

test.concurrent("tasks are polled and cancelled as the schedules say, and cost what they cost", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "2s");
  const file = newFile("videos.yaml", WORKLOADS);
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

test.concurrent("the results of tasks are checked by the clauses of the specification", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "300ms", "--fault", "video-poll-other-id");
  const shape = ["--rate", "2", "--duration", "1s", "--warmup", "0", "--poll-interval", "100ms"];
  const flags = [...FEW_USERS, ...shape, "--set", "cancel-share=0", ...FEW_UNITS];
  const { code, run, stdout } = await loadToEnd("video", mock.url, flags);
  expect(run.counts).toMatchObject({ ok: 2, failed: 0 });
  expect(code).toBe(1);
  expect(stdout).toContain("violates the specification: video.poll.id.same");
  expect(stdout).toMatch(
    /checked against the specification: \d+ exchanges of all video tasks: \d+ clauses verified, 1 violated/,
  );
  expect(run.check).toMatchObject({ share: 0, videoTasks: true, findings: [{ id: "video.poll.id.same" }] });
});

test.concurrent("users that start one after another are a ramp of open tasks", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "500ms");
  const shape = ["--vus", "6", "--set", "ramp-up=3s", "--duration", "3s", "--warmup", "0", "--poll-interval", "100ms"];
  const { run } = await loadToEnd("video", mock.url, [...shape, "--set", "cancel-share=0", ...FEW_UNITS]);
  const [first = 0, , last = 0] = run.windows.map(({ tasks = 0 }) => tasks);
  expect(last).toBeGreaterThan(first + 1);
  expect(run.metrics["video_open"]?.value).toBeLessThanOrEqual(6);
});

/** The arguments of a load of video tasks in a second, whose videos are requested. */
const fetching = (how: string, tasks: number): readonly string[] => [
  ...["--rate", `${tasks}`, "--duration", "1s", "--warmup", "0", "--poll-interval", "100ms", "--set", "cancel-share=0"],
  ...["--set", `fetch-video=${how}`, ...FEW_USERS, ...FEW_UNITS],
];

test.concurrent.for(["head", "full"])("each completed video is requested with fetch-video=%s", async (how, context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "300ms");
  const flags = [...fetching(how, 4), "--slo", "video_fetch_failed<=0%"];
  const loaded = await loadToEnd("video", mock.url, flags);
  const { run, stdout, folder } = loaded;
  const fetches = recordsOf(folder).filter(({ op }) => op === "video.fetch");
  expect(fetches.map(({ status, outcome, bytes }) => [status, outcome, bytes])).toEqual(
    Array.from({ length: 4 }, () => [200, "ok", 4096]),
  );
  expect(run.metrics["video_fetch"]).toMatchObject({ unit: "ms", count: 4 });
  expect(run.metrics["video_bytes"]).toMatchObject({ unit: "bytes", count: 4, min: 4096, max: 4096 });
  expect(run.metrics["video_fetch_failed"]).toEqual({ unit: "share", count: 4, value: 0 });
  expect(run.counts).toMatchObject({ offered: 4, ok: 4 });
  expect(stdout).toMatch(/^ *video_fetch_failed +0%$/m);
  requireMet(loaded);
});

test.concurrent("a video that is not there is a failure of its own, and an objective decides about it", async (context) => {
  const mock = await mockOfTest(context, "--timing", "instant", "--work", "300ms", "--fault", "video-url-gone");
  const flags = [...fetching("full", 4), "--slo", "video_fetch_failed<=0%"];
  const { code, run, stdout } = await loadToEnd("video", mock.url, flags);
  expect(run.counts).toMatchObject({ offered: 4, ok: 4, failed: 0 });
  expect(run.metrics["video_fetch_failed"]).toMatchObject({ count: 4, value: 1 });
  expect(run.failures).toMatchObject([{ op: "video.fetch", status: 404, count: 4 }]);
  expect(stdout).not.toContain("check the base address");
  expect(run.slos.map(({ expr, ok }) => [expr, ok])).toEqual([
    ["ok>=1", true],
    ["video_fetch_failed<=0%", false],
  ]);
  expect(code).toBe(1);
});

test.concurrent("no video is requested with the key, and none at an address that is not public", async () => {
  const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push({ path: `elsewhere ${request.url}`, headers: request.headers });
    response.end("secret");
  });
  let connections = 0;
  elsewhere.on("connection", () => (connections += 1));
  const other = await listenOnLoopback(elsewhere);
  const planted = ["/ok", "/moved", "/gone", "/empty", "/page", "/away"];
  const addresses = [
    ...[other, other.replace("127.0.0.1", "localhost"), "http://169.254.169.254/latest/meta-data/"],
    ...["http://10.0.0.1/v.mp4", "file:///etc/passwd"],
  ];
  let tasks = 0;
  const target = createServer((request, response) => {
    const path = request.url ?? "";
    request.resume();
    const json = (status: number, value: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const origin = `http://${request.headers.host}`;
    const [, number] = /\/task-(\d+)$/.exec(path) ?? [];
    if (request.method === "POST") {
      tasks += 1;
      return json(202, { id: `task-${tasks}`, model: "m", status: "processing", created_at: "2026-01-02T03:04:05Z" });
    }
    if (number !== undefined) {
      const video_url = [...planted.map((own) => origin + own), ...addresses][Number(number) - 1];
      return json(200, { id: `task-${number}`, status: "completed", video_url, usage: { total_cost: 1 } });
    }
    if (path.startsWith("/v1/")) return json(404, { error: { message: "no such task" } });
    seen.push({ path, headers: request.headers });
    const file = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void =>
      void response.writeHead(status, { "content-type": "video/mp4", ...headers }).end(body);
    if (path === "/moved") return file(302, "", { location: "/ok" });
    if (path === "/away") return file(302, "", { location: other });
    if (path === "/empty") return file(200, "");
    if (path === "/page") return file(200, "<html>", { "content-type": "text/html" });
    return path === "/ok" ? file(200, "x".repeat(200_000)) : file(404, "");
  });
  onTestFinished(async () => {
    for (const server of [elsewhere, target]) {
      server.closeAllConnections();
      await closed(server);
    }
  });
  const [key, team] = ["sk-4f1c99ab77d0", "team-token-5d1e"];
  const flags = [...fetching("full", planted.length + addresses.length), "--header", "x-team=TEAM_TOKEN"];
  const env = { ASSAY_API_KEY: key, TEAM_TOKEN: team };
  const { run, folder, stdout } = await loadToEnd("video", await listenOnLoopback(target), flags, env);
  const fetches = new Map(
    recordsOf(folder)
      .filter(({ op }) => op === "video.fetch")
      .map((record) => [record.task, record]),
  );
  const came = Array.from({ length: fetches.size }, (_, index) => {
    const { outcome, status, bytes, detail = "" } = fetches.get(`task-${index + 1}`) ?? {};
    return [outcome, status, bytes, /since this is (.*)$|$/.exec(detail)?.[1]];
  });
  expect(came).toEqual([
    ["ok", 200, 200_000, undefined],
    ["ok", 200, 200_000, undefined],
    ["http_error", 404, 0, undefined],
    ["malformed", 200, 0, undefined],
    ["malformed", 200, 6, undefined],
    ["refused", undefined, undefined, "a loopback address"],
    ["refused", undefined, undefined, "a loopback address"],
    ["refused", undefined, undefined, "a loopback address"],
    ["refused", undefined, undefined, "a link-local address"],
    ["refused", undefined, undefined, "a private address"],
    ["contract", undefined, undefined, undefined],
  ]);
  expect(run.metrics["video_fetch"]).toMatchObject({ count: 2 });
  expect(run.metrics["video_bytes"]).toMatchObject({ mean: 200_000 });
  expect(run.metrics["video_fetch_failed"]).toMatchObject({ count: 11, value: 9 / 11 });
  expect(run.counts, stdout).toMatchObject({ offered: 11, ok: 11 });
  expect(run.outages).toEqual([]);
  expect(connections).toBe(0);
  expect(seen.map(({ path }) => path).toSorted()).toEqual([
    "/away",
    "/empty",
    "/gone",
    "/moved",
    "/ok",
    "/ok",
    "/page",
  ]);
  const sent = JSON.stringify(seen);
  const written = readdirSync(folder).flatMap((name) =>
    name.includes(".") ? [readFileSync(join(folder, name), "utf8")] : [],
  );
  for (const secret of [key, team]) for (const text of [sent, stdout, ...written]) expect(text).not.toContain(secret);
  for (const { headers } of seen) expect(headers).not.toHaveProperty("authorization");
});
