/** Files in the layouts that people have: what the first request is, or why the file is refused. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isObject } from "../../lib/json.ts";
import { newFile } from "../../tests/support/commands/assay-process.ts";
import { checkPrompts } from "./check-prompts.ts";
import { planLoad } from "./plan-load.ts";
import { promptsNotice } from "./prompts-notice.ts";

const fileOf = (text: string, name = "data.jsonl"): string => newFile(name, text);

const user = (content: string) => ({ role: "user", content });
const call = { role: "assistant", content: null, tool_calls: [{ id: "1", type: "function" }] };

describe("the first prompt of a file in the layout of", () => {
  test.each<[layout: string, entry: unknown, first: unknown, unused: string[]]>([
    ["AIPerf", { text: "What is deep learning?" }, { prompt: "What is deep learning?" }, []],
    ["AIPerf", { texts: ["a", "b"], images: ["x"] }, { prompt: "a\nb" }, ["images"]],
    ["AIPerf", { texts: [{ name: "query", contents: ["a", "b"] }] }, { prompt: "a\nb" }, []],
    [
      "AIPerf multi-turn",
      { type: "multi_turn", session_id: "s1", turns: [{ text: "Hello" }, { text: "More?", delay: 500, image: "u" }] },
      { messages: [user("Hello"), { ...user("More?"), delay: 500, waits: true }] },
      ["session_id", "turns.image"],
    ],
    [
      "AIPerf multi-turn",
      {
        turns: [
          { role: "system", text: "s" },
          { role: "user", text: "a", timestamp: 0 },
        ],
      },
      { messages: [{ role: "system", content: "s" }, user("a")] },
      ["turns.timestamp"],
    ],
    ...[[user("Hello"), user("More?")], [user("More?")]].map((messages): [string, unknown, unknown, string[]] => [
      "AIPerf inputs.json",
      { data: [{ session_id: "s", payloads: [{ messages: [user("Hello")], model: "m" }, { messages }] }] },
      { messages: [user("Hello"), { ...user("More?"), waits: true }] },
      ["payloads.model"],
    ]),
    ["prompt", { data: [{ prompt: "a" }] }, { prompt: "a" }, []],
    [
      "MT-Bench",
      { question_id: 81, turns: ["Compose a post.", "Rewrite it."], reference: [] },
      { messages: [user("Compose a post."), { ...user("Rewrite it."), waits: true }] },
      ["question_id", "reference"],
    ],
    [
      "OpenAI batch",
      {
        custom_id: "r-0",
        url: "/v1/chat/completions",
        body: { model: "m", messages: [user("Hello 0")], max_tokens: 10 },
      },
      { messages: [user("Hello 0")] },
      ["custom_id", "url", "body.model", "body.max_tokens"],
    ],
    [
      "OpenAI batch",
      { custom_id: "r-0", url: "/v1/embeddings", body: { input: ["a", "b"] } },
      { input: ["a", "b"] },
      ["custom_id", "url"],
    ],
    [
      "WildChat",
      { conversation_hash: "h", conversation: [user("Hi"), { role: "assistant", content: "Hello" }] },
      { messages: [user("Hi")] },
      ["conversation_hash"],
    ],
    ["OASST", { message_id: "m", parent_id: null, role: "prompter", text: "Why?" }, { prompt: "Why?" }, ["message_id"]],
    ["prompt", { features: [], rows: [{ row_idx: 0, row: { prompt: "a" } }] }, { prompt: "a" }, []],
    [
      "messages with tools or parts",
      { messages: [user("hi"), call, { role: "tool", content: "42", tool_call_id: "1" }, user("thanks")] },
      { messages: [user("hi"), user("thanks")] },
      ["messages.tool_calls", "messages.tool_call_id"],
    ],
    [
      "messages with tools or parts",
      { messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }] }] },
      { messages: [user("a")] },
      ["messages.content.image_url"],
    ],
    [
      "ShareGPT with tools",
      {
        conversations: [
          { from: "human", value: "a" },
          { from: "function_call", value: "{}" },
          { from: "observation", value: "4" },
          { from: "gpt", value: "b" },
          { from: "human", value: "c" },
        ],
      },
      { messages: [user("a"), { role: "assistant", content: "b" }, user("c")] },
      [],
    ],
  ])("%s is %j", (layout, entry, first, unused) => {
    const text = JSON.stringify(entry, null, isObject(entry) && "data" in entry ? 2 : undefined);
    const read = checkPrompts(fileOf(`${text}\n`));
    expect(read).toMatchObject({ layout, first, unused, count: 1 });
    expect(JSON.parse(readFileSync(read.path, "utf8"))).toEqual(first);
  });

  test.each([
    [
      "ShareGPT",
      {
        conversations: [
          { from: "human", value: "a" },
          { from: "bing", value: "b" },
        ],
      },
      "",
    ],
    ["Alpaca", { instruction: "Translate.", input: "Good morning", output: "Bonjour" }, "output"],
    ["Dolly", { instruction: "When?", context: "", response: "2000" }, "response"],
    ["UltraChat", { prompt: "P0", prompt_id: "x", messages: [user("P0")] }, "prompt_id"],
    ["prompt", { prompt: "a question", messages: null, input: null }, ""],
  ])("%s is read as it is", (layout, entry, unused) => {
    const file = fileOf(JSON.stringify([entry]));
    expect(checkPrompts(file)).toMatchObject({ layout, count: 1, path: file, unused: unused === "" ? [] : [unused] });
  });
});

test.each(['{"data": [{"prompt": "a"}], "more": 1}', '{"data": [{"prompt": "a"}]}\n{"data": [{"prompt": "b"}]}'])(
  "%s is refused: an object that lists prompts has nothing else",
  (text) => {
    expect(() => checkPrompts(fileOf(text))).toThrow("the array is followed by");
  },
);

test("lines that begin with [INST] are text", () => {
  const { count, first, path } = checkPrompts(
    fileOf("[INST] What is it? [/INST]\n[INST] And Spain? [/INST]\n", "inst.txt"),
  );
  expect([count, first]).toEqual([2, { prompt: "[INST] What is it? [/INST]" }]);
  expect(readFileSync(path, "utf8").split("\n")[1]).toBe('{"prompt":"[INST] And Spain? [/INST]"}');
});

test("a prompt that is too long once it is written as JSON for the extension is refused", () => {
  const text = `[INST]${'"'.repeat(9 * 2 ** 20)}`;
  expect(() => checkPrompts(fileOf(`[INST] a\n${text}`, "inst.txt"))).toThrow(/prompt 2 is longer than 16 MiB as JSON/);
});

test.each([
  ['{"timestamp": 1, "input_length": 5}', "is an arrival of a trace (timestamp and lengths) without a text; replay it"],
  ['[{"timestamp": 0, "hash_ids": [1]}]', "is an arrival of a trace (timestamp and lengths) without a text; replay it"],
  ['{"session_id": "a", "delay": 2, "input_length": 5}', "is a turn of a session of AIPerf with lengths and no text"],
  ['{"session_id": "a", "turns": [{"text": "a"}, {"image": "u"}]}', "is a session of AIPerf with a turn that has no"],
])("%s is refused by its name", (line, reason) => {
  expect(() => checkPrompts(fileOf(line))).toThrow(reason);
});

const planned = (flags: Readonly<Record<string, unknown>>) =>
  planLoad("chat", { target: "http://127.0.0.1:1", ...flags }, { env: {} }, false);

test("of turns without responses a single request sends the first, which is said", () => {
  const prompts = fileOf('{"question_id":81,"turns":["Compose a post.","Rewrite it."]}');
  expect(promptsNotice(planned({ prompts }))).toContain("The first turn of each is sent; --turns 20 sends all.");
  expect(promptsNotice(planned({ prompts, turns: "20" }))).not.toContain("first turn");
});

test.each([
  ["AIPerf", { text: "a", output_length: 5 }, "FILE --rate 1"],
  ["AIPerf multi-turn", { turns: [{ text: "a" }, { text: "b", delay: 5 }] }, "FILE --turns 20 --rate 1"],
  ["ShareGPT", { conversations: [{ from: "human", value: "a" }] }, "FILE --rate 1"],
])("a data set in the layout of %s is no trace", (layout, entry, how) => {
  const file = fileOf(JSON.stringify(entry));
  expect(() => planned({ arrival: `trace:${file}` })).toThrow(
    `Cannot read arrivals from ${file}: it is a data set (layout: ${layout}), whose entries have no timestamp. Send its prompts at a rate: --prompts ${how.replace("FILE", file)}.`,
  );
});

test("up to 1 % of the entries may be unusable, and they are said", () => {
  const lines = (bad: number) =>
    [
      ...Array.from({ length: 200 - bad }, (_, at) => `{"prompt":"p${at}"}`),
      ...Array.from({ length: bad }, () => "{}"),
    ].join("\n");
  const file = fileOf(lines(2));
  const { count, path, unusable, reasons } = checkPrompts(file);
  expect([count, unusable, reasons]).toEqual([
    198,
    2,
    [expect.stringMatching(/^line 199 has none of/), expect.stringMatching(/^line 200/)],
  ]);
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(198);
  const plan = planned({ prompts: file });
  expect(promptsNotice(plan)).toContain(
    '198 prompts (layout: prompt), the first "p0". 2 unusable entries left out: line 199 has none of',
  );
  expect(plan.settings.prompts).toBe(file);
  expect(plan.settings.promptFiles).toEqual({ [file]: path });
  expect(() => checkPrompts(fileOf(lines(3)))).toThrow(
    "line 198 has none of messages, prompt, input, conversations, instruction, and 2 more of 200 entries",
  );
});

test("texts of a trace are its prompts, in its order, as much of it as is replayed", () => {
  const file = fileOf(
    Array.from({ length: 6 }, (_, at) => JSON.stringify({ timestamp: at * 500, text: `q${at}` })).join("\n"),
  );
  const { settings, traces = {} } = planned({ arrival: `trace:${file},from=500ms,to=2s` });
  expect(Object.values(traces)[0]?.offsetsMs).toEqual([0, 500, 1_000]);
  expect(settings).toMatchObject({ prompts: file, promptsOrder: "sequential" });
  expect(readFileSync(settings.promptFiles?.[file] ?? "", "utf8")).toBe(
    '{"prompt":"q1"}\n{"prompt":"q2"}\n{"prompt":"q3"}\n',
  );
});
