import { describe, expect, it } from "vitest";
import { PATHS, TEMPERATURE } from "../../../contract/service.ts";
import { chatCompletion } from "../../../tests/support/contract/service-schemas.ts";
import { mockFor, type Sent, send } from "../../../tests/support/targets/mock-client.ts";
import type { Mock } from "../../mock.ts";

const MESSAGES = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "hi" },
];
const chat = (fields: object = {}): Sent => ({ path: PATHS.chat, body: { model: "m", messages: MESSAGES, ...fields } });

async function completionOf(mock: Mock, sent: Sent) {
  const { status, json } = await send(mock, sent);
  expect(status).toBe(200);
  return chatCompletion.parse(json);
}

describe("a chat completion", () => {
  it("has the fields of the contract, the model of the request and a sum of tokens", async () => {
    const mock = await mockFor({ outputTokens: 7 });
    const { model, choices, usage } = await completionOf(mock, chat());
    expect(model).toBe("m");
    expect(choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([[0, "stop"]]);
    expect(usage.completion_tokens).toBe(7);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + 7);
  });

  it("is cut by max_tokens, with its finish_reason; a limit that is just enough does not cut", async () => {
    const mock = await mockFor({ outputTokens: 7 });
    const cut = await completionOf(mock, chat({ max_tokens: 6 }));
    expect([cut.usage.completion_tokens, cut.choices[0]?.finish_reason]).toEqual([6, "length"]);
    const withAllFrames = await completionOf(mock, chat({ max_tokens: 7 }));
    expect([withAllFrames.usage.completion_tokens, withAllFrames.choices[0]?.finish_reason]).toEqual([7, "stop"]);
  });

  it("depends on seed and request only, not on the order of arrivals", async () => {
    const [a, b] = await Promise.all([mockFor({ seed: 5 }), mockFor({ seed: 5 })]);
    const asked = ["one", "two", "three"].map((content) => chat({ messages: [{ role: "user", content }] }));
    const text = async (mock: Mock, sent: Sent) => (await completionOf(mock, sent)).choices[0]?.message.content;
    const forth = [];
    for (const sent of asked) forth.push(await text(a, sent));
    const back = [];
    for (const sent of asked.toReversed()) back.push(await text(b, sent));
    expect(back.toReversed()).toEqual(forth);
    expect(new Set(forth).size).toBe(3);
    expect(await text(await mockFor({ seed: 6 }), chat())).not.toBe(await text(a, chat()));
  });

  it("has an id of its own, also when the same request is sent again; the text stays", async () => {
    const mock = await mockFor();
    const [one, two] = [await completionOf(mock, chat()), await completionOf(mock, chat())];
    expect(two.id).not.toBe(one.id);
    expect(two.choices).toEqual(one.choices);
  });

  it("takes as long as its last token", async () => {
    const mock = await mockFor({ ttftMs: 30, itlMs: 10, outputTokens: 4 });
    await send(mock, chat());
    expect(mock.groundTruth()[0]?.endMs).toBeGreaterThanOrEqual(60);
  });
});

describe("requests that are served", () => {
  it.each([
    ["temperature 0", { temperature: TEMPERATURE.min }],
    ["temperature 2", { temperature: TEMPERATURE.max }],
    ["stream false", { stream: false }],
    ["max_tokens 1", { max_tokens: 1 }],
    ["an unknown field", { top_p: 1, nonsense: { a: [1] } }],
    ["an unknown role and an unknown member", { messages: [{ role: "narrator", content: "", name: "x" }] }],
  ])("%s", async (_, fields) => {
    await completionOf(await mockFor(), chat(fields));
  });
});

describe("requests that are refused with 400 and the field's name", () => {
  it.each([
    ["model", { model: undefined }],
    ["model", { model: 7 }],
    ["messages", { messages: undefined }],
    ["messages", { messages: [] }],
    ["messages", { messages: "hi" }],
    ["messages.role", { messages: [{ content: "hi" }] }],
    ["messages.content", { messages: [{ role: "user" }] }],
    ["messages.0.content", { messages: [{ role: "user", content: 7 }] }],
    ["temperature", { temperature: 2.0000001 }],
    ["temperature", { temperature: -0.0000001 }],
    ["temperature", { temperature: "1" }],
    ["max_tokens", { max_tokens: 1.5 }],
    ["max_tokens", { max_tokens: "5" }],
    ["max_tokens", { max_tokens: 0 }],
    ["stream", { stream: "false" }],
  ])("%s: %j", async (param, fields) => {
    const { status, json } = await send(await mockFor(), chat(fields));
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { type: "invalid_request_error", param } });
  });

  it.each(["", "{", "[]", '"text"', "null"])("a body of %j", async (body) => {
    expect((await send(await mockFor(), { path: PATHS.chat, body })).status).toBe(400);
  });
});
