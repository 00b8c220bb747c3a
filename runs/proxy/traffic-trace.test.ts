import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { readTrace } from "../../load/shape/traces.ts";
import { parseArrivalProcess } from "../../settings/load/arrival-process.ts";
import { TrafficTrace } from "./traffic-trace.ts";

const START = Date.UTC(2026, 0, 1);
const json = { "content-type": "application/json" };

/** An exchange so many milliseconds after the first. */
const exchange = (
  atMs: number,
  path: string,
  body: unknown,
  { status = 200, text = "{}", headers = {}, ...more }: Partial<Exchange> & Record<string, unknown> = {},
): Exchange => ({
  id: 1,
  probe: "traffic",
  request: { method: "POST", url: `http://t/v1${path}`, headers: Object(headers), body: JSON.stringify(body) },
  answer: {
    ...{ status: Number(status), headers: more["type"] === "sse" ? { "content-type": "text/event-stream" } : json },
    ...{ body: String(text), truncated: false, chunks: [], headersMs: 1, endMs: 2 },
  },
  startedAt: new Date(START + atMs).toISOString().replace("Z", "000Z"),
  ...more,
});

const usage = (input: number, output: number) =>
  JSON.stringify({ usage: { prompt_tokens: input, completion_tokens: output } });
const user = (content: string) => ({ role: "user", content });
const system = { role: "system", content: "s".repeat(640) };

function traceOf(exchanges: readonly Exchange[], tenantHeader?: string): Record<string, unknown>[] {
  const trace = new TrafficTrace(tenantHeader);
  for (const each of exchanges) trace.add(each);
  return trace.lines().map((line) => JSON.parse(line));
}

const CHAT = "/chat/completions";

test("a request is a line with its time, its lengths, its model and how it ended, in the order of time", () => {
  const events = ['{"choices":[{"delta":{"content":"a"}}]}', '{"choices":[{"delta":{"content":""}}]}', "[DONE]"];
  const stream = events.map((data) => `data: ${data}\n\n`).join("");
  const client = { kind: "client", message: "left" } as const;
  const lines = traceOf([
    exchange(40, "/embeddings", { model: "e", input: ["a", "b"] }, { text: usage(6, 0) }),
    exchange(0, CHAT, { model: "m", messages: [user("Hi")] }, { text: usage(9, 5) }),
    exchange(
      30,
      CHAT,
      { stream: true, messages: [user("x".repeat(40))] },
      { text: stream, type: "sse", failure: client },
    ),
    exchange(50, "/videos/generations", { prompt: "p" }, { status: 429 }),
    exchange(60, CHAT, { messages: [user("Bye")] }, { text: usage(9, 2), failure: client }),
    // Refused, or no work of a model.
    exchange(70, CHAT, { messages: [] }, { status: 401 }),
    exchange(80, "/models", {}),
    { ...exchange(90, CHAT, {}), request: { method: "GET", url: "http://t/v1/videos/generations/1", headers: {} } },
  ]);
  expect(
    lines.map(({ hash_ids: ids, timestamp, duration_ms: ms, ...line }) => ({
      at: String(timestamp).slice(20, 23),
      ...line,
    })),
  ).toEqual([
    { at: "000", operation: "chat", input_length: 9, output_length: 5, session_id: 1, model: "m", outcome: "ok" },
    {
      at: "030",
      operation: "chat-stream",
      input_length: 46,
      output_length: 1,
      session_id: 2,
      outcome: "ok",
      estimated: true,
    },
    { at: "040", operation: "embeddings", input_length: 6, model: "e", outcome: "ok" },
    { at: "050", operation: "video", input_length: 1, outcome: "failed", estimated: true },
    { at: "060", operation: "chat", input_length: 9, output_length: 2, session_id: 4, outcome: "left" },
  ]);
});

test.each(["content", "reasoning", "reasoning_content"])("an event with %s counts as a token", (member) => {
  const event = `data: ${JSON.stringify({ choices: [{ delta: { [member]: "a" } }] })}\n\n`;
  const request = { stream: true, messages: [user("Hi")] };
  expect(traceOf([exchange(0, CHAT, request, { text: event + event, type: "sse" })])).toMatchObject([
    { output_length: 2 },
  ]);
});

test("prompts that begin alike share the ids of their first blocks, and turns have the session of those before", () => {
  const first = [system, user("Why?")];
  const second = [...first, { role: "assistant", content: "So." }, user("And?")];
  const lines = traceOf([
    exchange(0, CHAT, { messages: first }, { text: usage(164, 5) }),
    exchange(10, CHAT, { messages: [system, user("Who?")] }, { text: usage(164, 5) }),
    exchange(20, CHAT, { messages: second }, { text: usage(168, 5) }),
    exchange(30, CHAT, { messages: [user("Other")] }, { text: usage(3, 5) }),
    exchange(40, CHAT, { messages: first }, { text: usage(164, 5) }),
  ]);
  expect(lines.map(({ session_id: session }) => session)).toEqual([0, 1, 0, 2, 3]);
  const ids = lines.map(({ hash_ids: own }) => (Array.isArray(own) ? own : []));
  expect(ids.map(({ length }) => length)).toEqual([11, 11, 11, 1, 11]);
  const alike = (a: number, b: number): number => {
    const different = ids[a]?.findIndex((id, at) => id !== ids[b]?.[at]) ?? -1;
    return different < 0 ? (ids[a]?.length ?? 0) : different;
  };
  // 647 of 656 characters are those of the system message.
  expect([alike(0, 1), alike(0, 2), alike(0, 3), alike(0, 4)]).toEqual([10, 10, 0, 11]);
});

test("tenants are named by a header, and by a number where its value may be a key; no text and no key is written", () => {
  const sent = (at: number, headers: Record<string, string>) =>
    exchange(at, CHAT, { messages: [user("canary")] }, { text: usage(9, 5), headers });
  const keys = [sent(0, { authorization: "Bearer sk-one" }), sent(1, { authorization: "Bearer sk-two" }), sent(2, {})];
  const byKey = traceOf([...keys, ...keys], "Authorization");
  expect(byKey.map(({ tenant }) => tenant)).toEqual([
    "tenant-1",
    "tenant-1",
    "tenant-2",
    "tenant-2",
    undefined,
    undefined,
  ]);
  expect(JSON.stringify(byKey)).not.toMatch(/canary|sk-/);
  expect(traceOf([sent(0, { "x-team": "red" })], "X-Team")[0]).toMatchObject({ tenant: "red" });
});

test("it is bounded, and says how many requests it lacks, those with a body that cannot be read included", () => {
  const trace = new TrafficTrace(undefined, 360);
  const cut = exchange(9, CHAT, {}, { text: usage(20, 5) });
  trace.add({ ...cut, request: { ...cut.request, body: '{"model": "m", "mess' } });
  for (let at = 0; at < 5; at += 1) trace.add(exchange(at, CHAT, { messages: [user("a")] }, { text: usage(20, 5) }));
  expect([trace.lines().length, trace.lacking]).toEqual([2, 4]);
});

test("it is read as a trace, of which one operation and one tenant can be replayed", () => {
  const trace = new TrafficTrace("x-team");
  const headers = { "x-team": "red" };
  trace.add(exchange(0, CHAT, { messages: [user("a")] }, { text: usage(20, 5), headers }));
  trace.add(exchange(250.5, CHAT, { messages: [user("b")] }, { text: usage(40, 6) }));
  trace.add(exchange(300, "/embeddings", { input: "a" }, { text: usage(6, 0), headers }));
  const read = (options: string) => {
    const process = parseArrivalProcess(`trace:t.jsonl${options}`);
    return readTrace(trace.lines().join("\n"), process.process === "trace" ? process : { process: "trace", file: "" });
  };
  expect(read(",operation=chat")).toMatchObject({
    trace: {
      offsetsMs: [0, 250],
      inputTokens: [20, 40],
      outputTokens: [5, 6],
      sessions: [0, 1],
      blocks: { tokens: 16 },
    },
    source: { layout: "assay proxy", operation: "chat" },
  });
  expect(read(",operation=chat,tenant=red").trace.inputTokens).toEqual([20]);
  // What the others send does not matter where one tenant is chosen.
  trace.add(exchange(400, CHAT, { messages: [user("b")] }, { text: usage(50, 6), headers: { "x-team": "green" } }));
  expect(read(",tenant=green").trace.inputTokens).toEqual([50]);
  expect(() => read("")).toThrow("its requests are of several operations (chat, embeddings)");
  expect(() => read(",tenant=blue,operation=chat")).toThrow(
    "no request is of chat and blue; operations: chat, embeddings; tenants: green, red; models: none",
  );
});

test("requests of a conversation are its turns: what was said, and how long the user thought", () => {
  const trace = new TrafficTrace();
  const said = (at: number, messages: readonly unknown[], input: number, output: number) =>
    trace.add(exchange(at, CHAT, { messages }, { text: usage(input, output) }));
  const turns = [user("a"), { role: "assistant", content: "b" }, user("c")];
  said(0, turns.slice(0, 1), 20, 5);
  said(30, [user("other")], 7, 2);
  said(900, turns, 33, 6);
  const { endMs } = exchange(0, CHAT, {}, { text: usage(1, 1) }).answer ?? {};
  const { trace: read } = readTrace(trace.lines().join("\n"), { process: "trace", file: "t.jsonl", speed: 2 });
  expect(read).toMatchObject({
    ...{ offsetsMs: [0, 15], inputTokens: [20, 7], outputTokens: [5, 2], endsMs: [900, 15] },
    turns: { starts: [0, 1, 1], thinkMs: [900 - Number(endMs)], inputTokens: [8], outputTokens: [6] },
  });
});
