/** Runs against the mock: the files, the budget, the deadline, the replay. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type Exchange, exchangeLine, recordedCheckSettings } from "../../formats/exchanges.ts";
import { type TaskEvent, taskEvent } from "../../formats/tasks.ts";
import { verdictEnd } from "../../formats/verdicts.ts";
import { FAILING_PROMPT, type Mock, startMock } from "../../mock-server/index.ts";
import { replay } from "../../runs/conformance/replay-run.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import {
  badOnes,
  type ClauseVerdicts,
  counted,
  judgeTarget,
  KEY,
  quickSettings,
} from "../../tests/support/targets/judge-target.ts";
import { startRun } from "./conformance-run.ts";
import { settingsFrom } from "./conformance-settings.ts";
import { loadClauses } from "./load-clauses.ts";
import { contextOf, evaluateRecorded } from "./recorded-run.ts";
import { fileSink, silentSink } from "./run-files.ts";

const rethrow = (error: unknown): never => {
  throw error;
};

let mock: Mock;
const folder = newFolder();
beforeAll(async () => {
  mock = await startMock({ timing: "instant", workMs: 100, apiKeys: [KEY] });
});
beforeEach(() => mock.reset());
afterAll(() => mock.stop());

const linesOf = (name: string): unknown[] =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
const verdictsOf = (verdicts: ClauseVerdicts): Record<string, string> =>
  Object.fromEntries([...verdicts].map(([id, { verdict, reason }]) => [id, `${verdict} ${reason}`]));

test("the files hold a header, every exchange and verdict, the tasks' journal, and never the key", async () => {
  const env = { ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_HEADER: "x-team=TEAM", TEAM: "canary-of-a-team" };
  const { size } = await judgeTarget(mock.url, env, fileSink(folder, rethrow));
  const [header, ...verdicts] = linesOf("verdicts.jsonl");
  expect(header).toMatchObject({ schema: "assay.verdicts/1", target: mock.url });
  const end = verdictEnd.parse(verdicts.at(-1));
  expect(end).toEqual({ finishedAt: expect.any(String), staleBaseline: [], basis: expect.anything() });
  expect(end.basis?.tasks).toBe(mock.tasks().length);
  for (const count of Object.values(end.basis ?? {})) expect(count).toBeGreaterThanOrEqual(10);
  expect(verdicts).toHaveLength(size + 1);
  expect(linesOf("exchanges.jsonl")[0]).toMatchObject({ schema: "assay.exchanges/1" });
  const journal = linesOf("tasks.jsonl");
  const events = (event: string): number =>
    journal.filter((line) => JSON.stringify(line).includes(`"event":"${event}"`)).length;
  expect(events("submitting")).toBe(events("accepted") + events("refused"));
  expect(events("ended")).toBe(events("accepted"));
  expect(events("accepted")).toBe(mock.tasks().length);
  for (const name of ["exchanges.jsonl", "verdicts.jsonl", "tasks.jsonl"]) {
    expect(readFileSync(join(folder, name), "utf8")).not.toMatch(/canary/);
  }
});

test("recorded exchanges give the same verdicts again, without network", async () => {
  mock.setFaults(["chat-usage-missing", "resolution-1080p-refused", "video-poll-201"]);
  const verdicts = await judgeTarget(mock.url, { ASSAY_FAILING_PROMPT: FAILING_PROMPT }, fileSink(folder, rethrow));
  const header = z.object({ settings: z.unknown() }).parse(linesOf("exchanges.jsonl")[0]);
  const exchanges = linesOf("exchanges.jsonl")
    .slice(1)
    .map((line) => exchangeLine.parse(line));
  const again = await evaluateRecorded(
    await loadClauses(),
    exchanges,
    contextOf(recordedCheckSettings.parse(header.settings)),
  );
  expect(verdictsOf(again)).toMatchObject(verdictsOf(verdicts));
});

test("a fault in some responses is said as soon as it is seen, with how many of how many, and a replay says the same", async () => {
  mock.setFaults(["chat-usage-missing@every:5", "video-failed-error"]);
  /** How many exchanges there had been when a clause was first said to fail. */
  const told = new Map<string, number>();
  let exchanges = 0;
  const files = fileSink(folder, rethrow);
  const sink = {
    ...files,
    exchange: (exchange: Exchange) => {
      exchanges += 1;
      files.exchange(exchange);
    },
    provisional: ({ id }: { readonly id: string }, { verdict }: { readonly verdict: string }) => {
      if (verdict === "FAIL" && !told.has(id)) told.set(id, exchanges);
    },
  };
  const verdicts = await judgeTarget(mock.url, { ASSAY_FAILING_PROMPT: FAILING_PROMPT }, sink);
  const usage = verdicts.get("chat.response.usage");
  expect(usage?.verdict).toBe("FAIL");
  expect(usage?.reason).toMatch(/left out usage \(exchange \d+\); \d+ of \d+ completions$/);
  expect(usage?.share).toMatchObject({ kind: "completions", of: expect.any(Number) });
  expect(verdicts.get("video.poll.status.value")?.reason).toMatch(/"error".*; \d+ of \d+ polls$/);
  for (const id of ["chat.response.usage", "video.poll.status.value"]) expect(told.get(id)).toBeLessThan(exchanges);
  expect((await replay(folder)).changes).toEqual([]);
});

test.each([
  ["embeddings-array-refused", "embeddings.input.array"],
  ["encoding-format-unchecked", "embeddings.encoding_format.not-hex"],
  ["chat-stream-false-refused", "chat.stream.off"],
  ["auth-chat-refused", "auth.key.chat"],
])("%s in every fifth response is caught by %s, which sends its request again", async (fault, id) => {
  mock.setFaults([`${fault}@every:5`]);
  const verdicts = await judgeTarget(mock.url, { ASSAY_ONLY: id, ASSAY_CONCURRENCY: "1" });
  expect(verdicts.get(id)).toMatchObject({
    verdict: "FAIL",
    reason: expect.stringMatching(/; \d of 6 such requests$/),
  });
});

test("one cause is one failure, however many clauses look at its responses", async () => {
  mock.reset();
  mock.setFaults(["chat-choices-missing@every:3"]);
  const verdicts = await judgeTarget(mock.url, { ASSAY_ONLY: "chat.*", ASSAY_PROFILE: "openai" });
  expect(badOnes(verdicts).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "chat.response.choices FAIL",
  ]);
});

test("an acceptance that fails says what was special and what the target said", async () => {
  mock.reset();
  mock.setFaults(["chat-system-role-refused"]);
  const verdicts = await judgeTarget(mock.url, { ASSAY_ONLY: "chat.*" });
  expect(verdicts.get("chat.roles")?.reason).toMatch(
    /^the specification allows a request with max_tokens 16, messages of the roles system, user; the target returned 400: "invalid messages.0.role: is not supported"/,
  );
});

test("a task that ended before it could be cancelled is not among those left open", async () => {
  const quick = await startMock({ timing: "instant", workMs: 1, apiKeys: [KEY] });
  const run = await startRun(quickSettings(quick.url));
  const { openTasks } = await run.finished;
  expect(quick.tasks().some(({ state }) => state === "completed")).toBe(true);
  expect(openTasks).toEqual([]);
  await quick.stop();
});

test("a cancel that comes too late and returns 200 with the end of the task is no violation", async () => {
  const quick = await startMock({ timing: "instant", workMs: 0, apiKeys: [KEY], faults: ["cancel-completed-idle"] });
  onTestFinished(() => quick.stop());
  const verdicts = await judgeTarget(quick.url, { ASSAY_FAILING_PROMPT: FAILING_PROMPT });
  expect(badOnes(verdicts).filter((line) => line.includes(" FAIL "))).toEqual([]);
  expect(verdicts.get("video.cancel.works")).toMatchObject({
    verdict: "INCONCLUSIVE",
    reason: expect.stringContaining("the task had become completed before it could be cancelled"),
  });
});

test("no more tasks are created than allowed; what they were needed for is NOT-RUN", async () => {
  mock.setFaults(["resolution-unchecked", "duration-unchecked", "aspect-ratio-unchecked", "prompt-unlimited"]);
  const verdicts = await judgeTarget(mock.url, { ASSAY_MAX_VIDEO_JOBS: "6" });
  expect(mock.tasks().length).toBe(6);
  expect(counted(verdicts)["NOT-RUN"]).toBeGreaterThan(10);
  expect(mock.tasks().filter(({ state }) => state === "processing")).toEqual([]);
});

test("the default budget covers every required clause of a correct target", async () => {
  // Tasks that a busy machine sees at work, too.
  const patient = await startMock({ timing: "instant", workMs: 1_000, apiKeys: [KEY] });
  onTestFinished(() => patient.stop());
  const budget = { ASSAY_MAX_VIDEO_JOBS: "8", ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_DEADLINE: "60s" };
  const verdicts = await judgeTarget(patient.url, budget);
  const required = (await loadClauses()).filter(({ level, profile }) => level !== "observed" && profile === undefined);
  expect(required.filter(({ id }) => verdicts.get(id)?.verdict !== "PASS").map(({ id }) => id)).toEqual([]);
  expect(patient.tasks().length).toBeLessThanOrEqual(8);
});

test("a packed job that is refused is split, so that only the refused value fails", async () => {
  mock.setFaults(["aspect-ratio-1-1-refused"]);
  const verdicts = await judgeTarget(mock.url);
  expect(verdicts.get("video.submit.aspect_ratio.1:1")?.verdict).toBe("FAIL");
  expect(verdicts.get("video.submit.resolution.1080p")?.verdict).toBe("PASS");
});

test("without the failing prompt, clauses of failed tasks are not applicable, and no task is made for them", async () => {
  const verdicts = await judgeTarget(mock.url);
  expect(verdicts.get("video.poll.failed.error.code")).toMatchObject({ verdict: "NOT-APPLICABLE" });
});

test("at the deadline the rest is NOT-RUN and open tasks are cancelled", async () => {
  mock.holdClock();
  const events: TaskEvent[] = [];
  const sink = { ...silentSink, task: (event: TaskEvent) => void events.push(event) };
  const verdicts = await judgeTarget(mock.url, { ASSAY_DEADLINE: "600ms" }, sink);
  mock.runClock();
  expect(verdicts.get("chat.status")?.verdict).toBe("PASS");
  expect(verdicts.get("video.poll.completed.reached")?.verdict).not.toBe("PASS");
  expect(mock.tasks().filter(({ state }) => state === "processing")).toEqual([]);
  expect(events.filter(({ event }) => event === "ended")).toHaveLength(
    events.filter(({ event }) => event === "accepted").length,
  );
});

test("a video that takes longer than half the deadline is inconclusive, and that we cancel it is no failure", async () => {
  mock.holdClock();
  const env = { ASSAY_DEADLINE: "3s", ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_ONLY: "video*,chat.minimal" };
  const verdicts = await judgeTarget(mock.url, env);
  mock.runClock();
  expect(badOnes(verdicts)).toEqual([]);
  for (const id of ["video.poll.completed.reached", "video.poll.failed.http-status"]) {
    expect(verdicts.get(id)).toMatchObject({
      verdict: "INCONCLUSIVE",
      reason: expect.stringMatching(/the task was still processing after \d\.\d s, when its time was up/),
    });
  }
  expect(mock.tasks().filter(({ state }) => state === "processing")).toEqual([]);
});

test("a run that is stopped cancels its open tasks first", async () => {
  mock.holdClock();
  const stop = new AbortController();
  const run = await startRun(quickSettings(mock.url, { ASSAY_ONLY: "video.submit.status" }), { stop: stop.signal });
  await expect.poll(() => mock.tasks().length).toBe(1);
  stop.abort();
  await run.finished;
  expect(mock.tasks().map(({ state }) => state)).toEqual(["cancelled"]);
  mock.runClock();
});

test("a need of a selected clause is judged, but only selected clauses get verdicts", async () => {
  const judged: string[] = [];
  const sink = { ...silentSink, verdict: ({ id }: { id: string }) => void judged.push(id) };
  const run = await startRun(quickSettings(mock.url, { ASSAY_ONLY: "chat.response.usage.total_tokens" }), { sink });
  const { verdicts } = await run.finished;
  expect(judged).toEqual(["chat.response.usage.total_tokens"]);
  expect(verdicts.get("chat.response.usage.total_tokens")?.verdict).toBe("PASS");
  expect(verdicts.get("chat.minimal")).toMatchObject({ verdict: "NOT-RUN" });
});

test("a target that asks to wait is asked again, and that answer counts", async () => {
  mock.setFaults(["all-429@first:1"]);
  const settings = { ...quickSettings(mock.url, { ASSAY_ONLY: "chat.status" }), waitCapMs: 5_000 };
  const { verdicts } = await (await startRun(settings)).finished;
  expect(verdicts.get("chat.status")?.verdict).toBe("PASS");
});

test("a target that answers nothing at all is given up long before the deadline", async () => {
  mock.setFaults(["all-silent"]);
  const settings = { ...quickSettings(mock.url, { ASSAY_DEADLINE: "10m" }), timeoutMs: 600_000, silenceMs: 200 };
  const { verdicts } = await (await startRun(settings)).finished;
  expect(verdicts.get("chat.minimal")?.verdict).toBe("INCONCLUSIVE");
  expect(verdicts.get("chat.minimal")?.reason).toContain("the target had returned nothing within 0.2 s");
  expect([...verdicts.values()].filter(({ verdict }) => verdict === "PASS")).toEqual([]);
});

test.each(["stream-stall", "stream-heartbeats"])(
  "%s: a warning at the bound of one request, and all else is checked long before the deadline",
  async (fault) => {
    mock.setFaults([fault]);
    const settings = settingsFrom({ ASSAY_TARGET: mock.url, ASSAY_API_KEY: KEY, ASSAY_DEADLINE: "10m" });
    const { verdicts } = await (await startRun({ ...settings, timeoutMs: 1_500, slowMs: 1_500 })).finished;
    expect(verdicts.get("chat.stream.ends")?.verdict).toBe("WARN");
    expect([...verdicts.values()].filter(({ reason }) => reason.includes("the deadline had passed"))).toEqual([]);
    expect(counted(verdicts)).not.toHaveProperty("FAIL");
  },
);

test("a target that only ever asks to try again later is no evidence, for streams too", async () => {
  mock.setFaults(["stream-429"]);
  const verdicts = await judgeTarget(mock.url, { ASSAY_ONLY: "chat.stream" });
  expect(verdicts.get("chat.stream.accepted")?.verdict).toBe("INCONCLUSIVE");
  expect(badOnes(verdicts)).toEqual([]);
});

test("a target that needs longer than the shortest time limit is given it, by what its first responses took", async () => {
  const slow = await startMock({ timing: "instant", ttftMs: 150, apiKeys: [KEY] });
  onTestFinished(() => slow.stop());
  const settings = quickSettings(slow.url, { ASSAY_ONLY: "chat.minimal,chat.roles,chat.stream.accepted" });
  const { verdicts } = await (await startRun({ ...settings, timeoutMs: 20, slowMs: 3_000 })).finished;
  expect(counted(verdicts)["PASS"]).toBe(3);
});

test("without a key, acceptance of the key is not verified", async () => {
  const open = await startMock({ timing: "instant", faults: ["auth-optional"] });
  const verdicts = await judgeTarget(open.url, { ASSAY_API_KEY: "", ASSAY_ONLY: "auth.key.chat" });
  await open.stop();
  expect(verdicts.get("auth.key.chat")).toMatchObject({
    verdict: "INCONCLUSIVE",
    reason: expect.stringContaining("ASSAY_API_KEY"),
  });
});

test("no more requests are under way at once than allowed, those of tasks among them", async () => {
  const slow = await startMock({ timing: "instant", ttftMs: 15, workMs: 1_000, apiKeys: [KEY] });
  const spans: { from: number; to: number }[] = [];
  const exchange = ({ startedAt, answer }: Exchange): void => {
    // A start is told in whole milliseconds: what surely was under way is a little less.
    const from = Date.parse(startedAt) + 1;
    spans.push({ from, to: from + (answer?.endMs ?? 0) - 2 });
  };
  const verdicts = await judgeTarget(slow.url, { ASSAY_CONCURRENCY: "2" }, { ...silentSink, exchange });
  await slow.stop();
  const most = Math.max(...spans.map(({ from }) => spans.filter((span) => span.from <= from && from < span.to).length));
  expect(most).toBe(2);
  expect(badOnes(verdicts)).toEqual([]);
});

test.each(["task", "model", "processing", "created_at"])(
  "a key that is the word %j changes no verdict, leaves no task, and a replay keeps what it cannot judge",
  async (word) => {
    const keyed = await startMock({ timing: "instant", workMs: 100, apiKeys: [word] });
    onTestFinished(() => keyed.stop());
    const env = { ASSAY_API_KEY: word, ASSAY_FAILING_PROMPT: FAILING_PROMPT, ASSAY_DEADLINE: "60s" };
    const verdicts = await judgeTarget(keyed.url, env, fileSink(folder, rethrow));
    // A warning may come of a slow machine.
    expect(badOnes(verdicts).filter((line) => !line.includes(" WARN "))).toEqual([]);
    expect(keyed.tasks().filter(({ state }) => state === "processing")).toEqual([]);
    const accepted = linesOf("tasks.jsonl").flatMap((line) => {
      const event = taskEvent.parse(line);
      return event.event === "accepted" ? [event.task] : [];
    });
    expect(accepted.toSorted()).toEqual(
      keyed
        .tasks()
        .map(({ id }) => id)
        .toSorted(),
    );
    expect((await replay(folder)).changes).toEqual([]);
  },
);
