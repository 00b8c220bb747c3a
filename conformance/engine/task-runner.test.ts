import { describe, expect, test, vi } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { task } from "../model/probe.ts";
import type { RequestSpec } from "./request-sender.ts";
import { TaskRunner, type TaskRunnerOptions } from "./task-runner.ts";

const PROBE = task("/v1/videos/generations", { body: { prompt: "p" }, steps: ["cancel"], order: 1 });

type Received = Pick<Exchange, "answer" | "failure">;

const answered = (status: number, body: string, failure?: Exchange["failure"]): Received => ({
  answer: { status, headers: {}, body, truncated: false, chunks: [], headersMs: 1, endMs: 2 },
  ...(failure && { failure }),
});

const exchangeOf = ({ method, path, probe }: RequestSpec, received: Received): Exchange => ({
  id: 1,
  probe,
  request: { method, url: `http://host${path}`, headers: {} },
  ...received,
  startedAt: "2026-01-02T03:04:05.000Z",
});

const runnerOf = (send: TaskRunnerOptions["send"], more: Partial<TaskRunnerOptions> = {}): TaskRunner =>
  new TaskRunner({
    send,
    sendAtOnce: send,
    journal: () => undefined,
    fillings: {},
    pollIntervalMs: 1,
    taskTimeoutMs: 60_000,
    signal: new AbortController().signal,
    ...more,
  });

/** The journal of a task that is submitted and cancelled, and the paths that were requested after its submission. */
async function journalOf(submission: Received): Promise<{ events: TaskEvent[]; paths: string[] }> {
  const events: TaskEvent[] = [];
  const paths: string[] = [];
  const send = async (request: RequestSpec): Promise<Exchange> => {
    const { path, before, after } = request;
    const isSubmission = before !== undefined;
    if (!isSubmission) paths.push(path);
    before?.("r-1");
    const exchange = exchangeOf(request, isSubmission ? submission : answered(200, '{"status":"cancelled"}'));
    after?.("r-1", exchange);
    return exchange;
  };
  const runner = runnerOf(send, { journal: (event) => void events.push(event) });
  await runner.take(await runner.submit(PROBE), PROBE.steps);
  expect(await runner.cancelOpen(new AbortController().signal)).toEqual([]);
  return { events: events.slice(1), paths };
}

const cancelled = (id: string) => ({
  events: [
    { event: "accepted", id: "r-1", task: id },
    { event: "ended", task: id, state: "cancelled" },
  ],
  paths: [`/v1/videos/generations/${encodeURIComponent(id)}/cancel`],
});

describe("a submission whose response", () => {
  test.each([
    ["names a task", answered(202, '{"id":"task-1"}'), "task-1"],
    ["names a task by a number", answered(202, '{"id":1001}'), "1001"],
    ["names a task by a number beyond 2^53", answered(202, '{"id":12345678901234567891}'), "12345678901234567891"],
    ["was cut after its JSON", answered(202, '{"id":"task-1"}', { kind: "reset", message: "reset" }), "task-1"],
    ["is an error that names a task", answered(500, '{"id":"task-1"}'), "task-1"],
  ])("%s leaves none open", async (_, submission, id) => {
    expect(await journalOf(submission)).toEqual(cancelled(id));
  });

  test.each([
    ["names none", answered(202, "{}"), { event: "unknown", status: 202 }],
    ["names an empty id", answered(202, '{"id":""}'), { event: "unknown", status: 202 }],
    ["is the error of a gateway", answered(504, "<html>"), { event: "unknown", status: 504 }],
    ["never arrived", { failure: { kind: "reset", message: "reset" } } as const, { event: "unknown" }],
    ["refuses it", answered(400, '{"id":"error-1"}'), { event: "refused" }],
    ["asks to try again later", answered(503, "{}"), { event: "refused" }],
    [
      "could not come, as nothing was sent",
      { failure: { kind: "refused", message: "no" } } as const,
      { event: "refused" },
    ],
  ])("%s is journalled as what it shows", async (_, submission, event) => {
    expect(await journalOf(submission)).toEqual({ events: [{ ...event, id: "r-1" }], paths: [] });
  });
});

test("it is told that a task waits for its next poll, when that is due, and that the wait is over", async () => {
  const told: [number, number][] = [];
  const send = async (request: RequestSpec): Promise<Exchange> =>
    exchangeOf(request, answered(202, '{"id":"task-1","status":"processing"}'));
  const runner = runnerOf(send, {
    pollIntervalMs: 50,
    waiting: (tasks, nextPollMs) => void told.push([tasks, nextPollMs]),
  });
  await runner.take(await runner.submit(PROBE), ["poll", "poll"]);
  expect(told).toEqual([
    [1, expect.any(Number)],
    [0, Number.POSITIVE_INFINITY],
  ]);
});

test("a task that is processing is polled at the interval, and one that has ended within half a second each", async () => {
  vi.useFakeTimers();
  try {
    const polledAt: number[] = [];
    const send = async (request: RequestSpec): Promise<Exchange> => {
      if (request.method === "GET") polledAt.push(Date.now());
      const status = polledAt.length < 3 ? "processing" : "completed";
      const exchange = exchangeOf(request, answered(200, JSON.stringify({ id: "task-1", status })));
      request.after?.("r-1", exchange);
      return exchange;
    };
    const runner = runnerOf(send, { pollIntervalMs: 5_000 });
    const taken = runner.take(await runner.submit(PROBE), [
      "poll-to-end",
      "poll-at-once",
      "poll",
      "wait-past-end",
      "poll",
    ]);
    await vi.runAllTimersAsync();
    await taken;
    const first = polledAt[0] ?? Number.NaN;
    // The task took 10 s: it would have ended 15 s after its submission, at the latest.
    expect(polledAt.map((at) => Math.round(at - first))).toEqual([0, 5_000, 10_000, 10_000, 10_500, 15_500]);
  } finally {
    vi.useRealTimers();
  }
});
