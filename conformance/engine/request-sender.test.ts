import { afterEach, expect, test, vi } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import type { Client } from "./http-client.ts";
import { filled, sender } from "./request-sender.ts";

afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();
const base = { id: 1, probe: "p", request: { method: "GET", url: "http://h/", headers: {} }, startedAt: "" };
const answering = (status: number, headers: Record<string, string> = {}): Exchange => ({
  ...base,
  answer: { status, headers, body: "", truncated: false, chunks: [], headersMs: 0, endMs: 0 },
});
const broken: Exchange = { ...base, failure: { kind: "reset", message: "gone" } };

async function sending(answers: readonly Exchange[], waitCapMs: number, once = false) {
  const recorded: Exchange[] = [];
  const left = [...answers];
  const client: Client = { send: async () => left.shift() ?? answering(200), close: async () => undefined };
  const send = sender({ client, record: (exchange) => recorded.push(exchange), waitCapMs, graceMs: 50 });
  const last = await send({ probe: "p", method: "GET", path: "/", signal, once });
  return { last, recorded };
}

test("an answer that says when to come back is marked as retried, and the next one counts", async () => {
  const { last, recorded } = await sending([answering(429, { "retry-after": "0.01" }), answering(200)], 1_000);
  expect(last.answer?.status).toBe(200);
  expect(recorded.map(({ retried }) => retried)).toEqual([true, undefined]);
});

test("a wait past the cap is not begun", async () => {
  const { last, recorded } = await sending([answering(503, { "retry-after": "3600" })], 1_000);
  expect([last.answer?.status, recorded.length]).toEqual([503, 1]);
});

test("a 429 that says for how long is waited for beyond the cap, once, within the deadline, by all requests together", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  const sent: number[] = [];
  const client: Client = {
    send: async () => {
      sent.push(Date.now());
      const isOver = Date.now() >= 60_000;
      return isOver ? answering(200) : answering(429, { "retry-after": "60" });
    },
    close: async () => undefined,
  };
  const statuses = async (deadlineAt: number) => {
    const send = sender({ client, record: () => undefined, waitCapMs: 30_000, deadlineAt, graceMs: 50 });
    const all = Promise.all([1, 2, 3].map(() => send({ probe: "p", method: "GET", path: "/", signal })));
    await vi.runAllTimersAsync();
    return (await all).map(({ answer }) => answer?.status);
  };
  expect(await statuses(50_000)).toEqual([429, 429, 429]);
  expect(sent.splice(0)).toEqual([0, 0, 0]);
  expect(await statuses(90_000)).toEqual([200, 200, 200]);
  expect(sent).toEqual([0, 0, 0, 60_000, 60_000, 60_000]);
});

test("a second wait beyond the cap is not begun, and none for a 429 that does not say for how long", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  const told = [answering(429, { "retry-after": "60" }), answering(429, { "retry-after": "60" }), answering(200)];
  const untold = [answering(429), answering(200)];
  const client = (answers: Exchange[]): Client => ({
    send: async () => answers.shift() ?? answering(500),
    close: async () => undefined,
  });
  for (const answers of [told, untold]) {
    const options = { record: () => undefined, waitCapMs: 10, deadlineAt: 1e6, graceMs: 50 };
    const last = sender({ ...options, client: client(answers) })({ probe: "p", method: "GET", path: "/", signal });
    await vi.runAllTimersAsync();
    expect((await last).answer?.status).toBe(429);
  }
});

test("a broken connection is tried once more, but never for what must be sent once", async () => {
  const { last } = await sending([broken, answering(200)], 1_000);
  expect(last).toMatchObject({ answer: { status: 200 }, resent: true });
  expect((await sending([answering(429, { "retry-after": "0.01" })], 1_000)).last).not.toHaveProperty("resent");
  expect((await sending([broken, answering(200)], 1_000, true)).last.failure?.kind).toBe("reset");
});

test("placeholders are filled wherever they stand, and only whole", () => {
  const body = {
    model: "<model_name>",
    messages: [{ content: "about <model_name>" }],
    other: "<embedding_model_name>",
  };
  expect(filled(body, { chatModel: "m" })).toEqual({
    model: "m",
    messages: [{ content: "about <model_name>" }],
    other: "<embedding_model_name>",
  });
});

test("a rate keeps requests apart, attempts that are repeated among them", async () => {
  vi.useFakeTimers({ now: 0 });
  const at: number[] = [];
  const answers = [answering(429, { "retry-after": "0" })];
  const client: Client = {
    send: async () => {
      at.push(Date.now());
      return answers.shift() ?? answering(200);
    },
    close: async () => undefined,
  };
  const send = sender({ client, record: () => undefined, waitCapMs: 1_000, graceMs: 50, rate: 10 });
  const all = Promise.all([1, 2, 3].map(() => send({ probe: "p", method: "GET", path: "/", signal })));
  await vi.runAllTimersAsync();
  await all;
  expect(at).toEqual([0, 100, 200, 300]);
});

test("once the run is ended, the answer to what was sent only once is waited for, within a bound, and nothing new is sent", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const end = new AbortController();
  const sent: boolean[] = [];
  const client: Client = {
    send: ({ signal: given }) => {
      sent.push(!given.aborted);
      return new Promise((resolve) => {
        setTimeout(() => resolve(answering(202)), 30);
        given.addEventListener("abort", () => resolve(broken));
        if (given.aborted) resolve(broken);
      });
    },
    close: async () => undefined,
  };
  const events: string[] = [];
  const request = {
    probe: "p",
    method: "POST",
    path: "/",
    signal: end.signal,
    once: true,
    before: () => void events.push("before"),
    after: (_: string, { answer }: Exchange) => void events.push(`after ${answer?.status}`),
  } as const;
  const send = (graceMs: number) => sender({ client, record: () => undefined, waitCapMs: 0, graceMs })(request);
  const [patient, hasty] = [send(1_000), send(1)];
  await new Promise(setImmediate);
  end.abort(new Error("stopped"));
  // The response to both comes 30 ms after they were sent.
  await vi.advanceTimersByTimeAsync(30);
  expect([(await hasty).answer, (await patient).answer?.status]).toEqual([undefined, 202]);
  await send(1_000);
  expect(sent).toEqual([true, true, false]);
  expect(events).toEqual(["before", "before", "after undefined", "after 202"]);
});
