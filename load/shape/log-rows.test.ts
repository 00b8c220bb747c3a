import { expect, test } from "vitest";
import { parseArrivalProcess } from "../../settings/load/arrival-process.ts";
import { readTrace } from "./traces.ts";

const read = (lines: readonly unknown[], options = "") => {
  const process = parseArrivalProcess(`trace:log.jsonl${options}`);
  if (process.process !== "trace") throw new Error("no trace");
  return readTrace(lines.map((line) => JSON.stringify(line)).join("\n"), process);
};

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
});

const span = (ns: string, operation: string, input: number, output: number) => ({
  name: `${operation} m`,
  startTimeUnixNano: ns,
  attributes: [
    attribute("gen_ai.operation.name", operation),
    attribute("gen_ai.usage.input_tokens", input),
    attribute("gen_ai.usage.output_tokens", output),
    attribute("gen_ai.conversation.id", operation === "chat" ? "c" : ""),
  ],
});

const exported = (...spans: unknown[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

test("spans of OpenTelemetry are read by their starts; those of agents and tools hold calls that are told themselves", () => {
  const { trace, source } = read(
    [
      exported(span("1764500000250000999", "chat", 40, 7), span("1764500000000000000", "invoke_agent", 900, 90)),
      exported(span("1764500000100000000", "chat", 20, 5), span("1764500000150000000", "embeddings", 9, 0)),
    ],
    ",operation=chat",
  );
  expect(trace).toEqual({ offsetsMs: [0, 150.001], inputTokens: [20, 40], outputTokens: [5, 7], sessions: [0, 0] });
  expect(source).toMatchObject({
    layout: "OpenTelemetry log",
    operation: "chat",
    firstMs: 1764500000100,
    unused: [],
  });
});

test("a span per line is read too", () => {
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 20 };
  const { trace } = read([
    { start_time: "2026-11-28T09:00:01.000250Z", attributes },
    { start_time: "2026-11-28T09:00:00.5Z", attributes: { "http.method": "GET" } },
    { start_time: "2026-11-28T09:00:01.000000Z", attributes },
  ]);
  expect(trace).toMatchObject({ offsetsMs: [0, 0.25], inputTokens: [20, 20], outputTokens: [] });
});

test("payloads of LiteLLM are read by their starts, with the team as tenant", () => {
  const call = (startTime: number, more: object) => ({
    ...{
      startTime,
      call_type: "acompletion",
      prompt_tokens: 20,
      completion_tokens: 5,
      messages: [{ role: "user", content: "x" }],
    },
    ...more,
  });
  const lines = [
    call(1764500001.5, { stream: true, session_id: "s", metadata: { user_api_key_team_alias: "red" } }),
    call(1764500000.25, {
      stream: true,
      session_id: "s",
      prompt_tokens: 30,
      metadata: { user_api_key_team_alias: "blue" },
    }),
    call(1764500002, { call_type: "aembedding" }),
    call(1764500003, { call_type: "aimage_generation" }),
  ];
  expect(read(lines, ",operation=chat-stream").trace).toMatchObject({
    ...{ offsetsMs: [0, 1250], inputTokens: [30, 20], sessions: [0, 0] },
  });
  expect(read(lines, ",operation=chat-stream,tenant=red").trace.inputTokens).toEqual([20]);
  // A response without a token counts as one of one, and what failed has no lengths.
  const none = [
    call(1764500004, { completion_tokens: 0 }),
    call(1764500005, { status: "failure", completion_tokens: 0 }),
  ];
  expect(read(none).trace).toMatchObject({ inputTokens: [20, 0], outputTokens: [1, 0] });
  expect(() => read([call(1764500004, { prompt_tokens: 2.5 })])).toThrow(
    "line 1 has a length that is not a whole number",
  );
  expect(() => read(lines)).toThrow("its requests are of several operations (chat-stream, embeddings)");
  expect(() => read([...lines, { a: 1 }])).toThrow("line 5 is not an entry of a log of LiteLLM");
  expect(() => read(lines.slice(3))).toThrow("it is a log of LiteLLM without a call of a model");
});
