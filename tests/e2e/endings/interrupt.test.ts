/** Ctrl-C during a run: what was measured is kept, no process is left, no video task stays open. */

import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { assay, newFolder, type Running, startAssay, unansweredIn } from "../../support/commands/assay-process.ts";
import { endless } from "../../support/commands/load-to-end.ts";
import { k6Writing, processesNaming } from "../../support/commands/running-processes.ts";
import { recordsOf, resultOf } from "../../support/results/read-results.ts";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { type MockProcess, startMockProcess } from "../../support/targets/spawned-mock.ts";

let mock: MockProcess;
beforeAll(async () => {
  mock = await startMockProcess("--timing", "fast", "--work", "10m");
});

beforeEach(() => fetch(`${mock.url}/_mock/reset`, { method: "POST" }));

const openTasks = (): Promise<number> => mock.openTasks();

const startLoad = (scenario: string, folder: string): Running =>
  startAssay(["load", scenario, "--target", mock.url, "--out", folder, ...endless(scenario)], { ASSAY_API_KEY: "k" });

/** Resolves when the progress reports successful requests, and with them open tasks. */
const hasStarted = (running: Running): Promise<string> => running.until(/p50 (\d+)/);

test("once: in-flight requests are recorded as cancelled, and the report says that the run was interrupted", async () => {
  const folder = newFolder();
  const running = startLoad("mixed", folder);
  await hasStarted(running);
  running.child.kill("SIGINT");
  const { code, stdout } = await running.ended;
  expect(code).toBe(2);
  expect(stdout).toContain("INCONCLUSIVE");
  expect(resultOf(folder)).toMatchObject({ interrupted: true, exitCode: 2 });
  expect(recordsOf(folder).length).toBeGreaterThan(0);
  expect(readFileSync(join(folder, "run.html"), "utf8")).toContain("interrupted");
  expect(processesNaming(folder)).toEqual([]);
});

test.each([
  ["once", 1],
  ["twice at once", 2],
])("%s during a video load: every task that it created is cancelled, or named", async (_, times) => {
  const folder = newFolder();
  const running = startLoad("video", folder);
  await hasStarted(running);
  expect(await openTasks()).toBeGreaterThan(0);
  for (let i = 0; i < times; i++) running.child.kill("SIGINT");
  const { code, stderr } = await running.ended;
  expect(code).toBe(2);
  const named = unansweredIn(stderr);
  if (times === 1) expect(named, stderr).toBe(0);
  expect(await openTasks()).toBeLessThanOrEqual(named);
  expect(resultOf(folder).interrupted).toBe(true);
  expect(processesNaming(folder)).toEqual([]);
});

test("k6 ends when assay is killed", async () => {
  const folder = newFolder();
  const running = startLoad("chat-stream", folder);
  await hasStarted(running);
  expect(processesNaming(folder)).not.toEqual([]);
  running.child.kill("SIGKILL");
  await running.ended;
  await expect.poll(() => processesNaming(folder), { timeout: 30_000 }).toEqual([]);
});

test("the mock and k6 of a calibration end when assay is killed", async () => {
  const folder = newFolder();
  const running = startAssay(["calibrate", "--streams", "3", "--out", folder]);
  await running.until(/started/);
  expect(processesNaming(join(folder, "3"))).toHaveLength(2);
  running.child.kill("SIGKILL");
  await running.ended;
  await expect.poll(() => processesNaming(folder), { timeout: 30_000 }).toEqual([]);
});

test("the load of a gate ends as at an interrupt when the gate is killed", async () => {
  const folder = join(newFolder(), "gate");
  const flags = ["--target", mock.url, "--out", folder, "--args", endless("video").join(" ")];
  const running = startAssay(["ci", "run", "load video", ...flags], { ASSAY_API_KEY: "k" });
  await hasStarted(running);
  running.child.kill("SIGKILL");
  await expect.poll(() => processesNaming(folder), { timeout: 60_000 }).toEqual([]);
  expect(resultOf(join(folder, "new-1"))).toMatchObject({ interrupted: true, exitCode: 2 });
  expect(await openTasks()).toBe(0);
  await running.ended;
});

/** A target before the mock that leaves the first cancel of each task without a response. @returns its URL, and when it got one */
async function unresponsiveToCancels() {
  const cancels = new Set<string>();
  let sawCancel = (): void => undefined;
  const cancelled = new Promise<void>((resolve) => {
    sawCancel = resolve;
  });
  const server = createServer((asked, response) => {
    const { method, headers, url = "" } = asked;
    if (url.endsWith("/cancel") && !cancels.has(url)) {
      cancels.add(url);
      return sawCancel();
    }
    const sent = request(new URL(url, mock.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.pipe(sent);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    return closed(server);
  });
  return { url: await listenOnLoopback(server), cancelled };
}

test.each(["once", "twice"])(
  "%s during a conformance run: the verdicts so far are kept, and its tasks are cancelled",
  async (times) => {
    const folder = newFolder();
    const { url, cancelled } =
      times === "once" ? { url: mock.url, cancelled: undefined } : await unresponsiveToCancels();
    const flags = ["--video", "--poll-interval", "50ms", "--out", folder];
    const running = startAssay(["conformance", "--target", url, ...flags], { ASSAY_API_KEY: "k" });
    await expect.poll(openTasks, { timeout: 60_000, interval: 20 }).toBeGreaterThan(0);
    running.child.kill("SIGINT");
    if (cancelled) {
      await cancelled;
      running.child.kill("SIGINT");
    }
    const { code, stderr } = await running.ended;
    expect(code).toBe(2);
    expect(await openTasks()).toBeLessThanOrEqual(times === "once" ? 0 : unansweredIn(stderr));
    expect(readFileSync(join(folder, "conformance.md"), "utf8")).toContain("NOT-RUN");
    expect(processesNaming(folder)).toEqual([]);
  },
);

test("assay and k6 are killed: clean-up cancels the tasks that the journal leaves open", async () => {
  const openBefore = await openTasks();
  const folder = newFolder();
  const running = startLoad("video", folder);
  await hasStarted(running);
  await expect.poll(openTasks, { timeout: 60_000, interval: 20 }).toBeGreaterThan(openBefore);
  const k6 = k6Writing(folder);
  process.kill(k6, "SIGSTOP");
  running.child.kill("SIGKILL");
  process.kill(k6, "SIGKILL");
  await running.ended;
  expect(await openTasks()).toBeGreaterThan(openBefore);
  appendFileSync(join(folder, "tasks.jsonl"), '{"event":"acc\n');
  const { stdout, stderr } = await assay(["clean-up", folder, "--target", mock.url], { ASSAY_API_KEY: "k" });
  expect(stdout).toMatch(new RegExp(`^[1-9]\\d* video tasks? of ${mock.url} ended, by a cancel or before it\\.\n$`));
  expect(stderr).toContain("1 line of tasks.jsonl could not be read");
  expect(await openTasks()).toBeLessThanOrEqual(openBefore + unansweredIn(stderr));
  expect((await assay(["clean-up", folder, "--target", mock.url], { ASSAY_API_KEY: "k" })).stdout).toMatch(
    /^0 video tasks/,
  );
});

test("clean-up of a journal that cannot be read says that alone", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "tasks.jsonl"));
  const { code, stdout, stderr } = await assay(["clean-up", folder, "--target", mock.url]);
  expect(stdout).toBe("");
  expect(stderr).toMatch(
    /^Cannot read .*tasks\.jsonl: it is a folder, not a file\. Look at the service for open tasks\.\n$/,
  );
  expect(code).toBe(2);
});

test("clean-up of a folder without a journal is refused", async () => {
  const { code, stderr } = await assay(["clean-up", newFolder()]);
  expect(stderr).toMatch(/Cannot clean up .*: there is no tasks\.jsonl in it/);
  expect(code).toBe(3);
});
