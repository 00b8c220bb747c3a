import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { unknownModel } from "./unknown-model.ts";

const REQUEST = { model: "assay-chat", messages: [{ role: "user", content: "Hello." }], temperature: 2 };

const refusedWith = (status: number, body: unknown): Exchange => ({
  id: 1,
  probe: "p",
  request: { method: "POST", url: "http://h/v1/chat/completions", headers: {}, body: JSON.stringify(REQUEST) },
  answer: {
    status,
    headers: {},
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...{ truncated: false, chunks: [], headersMs: 1, endMs: 2 },
  },
  startedAt: "2030-01-01T00:00:00Z",
});
const CONTEXT = "This model's maximum context length is 2048 tokens";
const FULL = { type: "invalid_request_error", code: "context_length_exceeded" };
const DEFAULT = { keyGiven: true, failingPrompt: false, defaultModels: ["chat"] } as const;

test.each([
  [404, { error: { code: "model_not_found", message: "The model `assay-chat` does not exist" } }],
  [400, { error: { message: "assay-chat is not a valid model ID" } }],
  [400, { error: { message: "not a valid chat model" } }],
  [404, { error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." } }],
  [404, "DeploymentNotFound"],
  [404, { error: { message: "there is no deployment; unknown deployment" } }],
  [400, { error: { code: "1211", message: "模型不存在,请检查模型代码。" } }],
  [400, "不支持该模型"],
  [400, { detail: "No endpoint serves assay-chat." }],
])("%i %j says that the model is not known", (status, body) => {
  const exchange = refusedWith(status, body);
  expect(unknownModel(exchange, DEFAULT)).toMatchObject({
    kind: "inconclusive",
    why: expect.stringContaining("name one with --chat-model"),
  });
  expect(unknownModel(exchange, { ...DEFAULT, defaultModels: [] })).toBeUndefined();
});

test.each([
  [400, { error: { message: "temperature must be at most 1", param: "temperature" } }],
  [400, { error: { message: "temperature must be at most 1" }, request: REQUEST }],
  [400, { error: { message: `temperature must be at most 1 in ${JSON.stringify(REQUEST)}` } }],
  [404, { detail: "Not Found" }],
  [422, { error: { message: "assay-chat is not a valid model ID" } }],
  [500, { error: { message: "assay-chat is not a valid model ID" } }],
  // A full context: OpenAI, llama-cpp-python's server, vLLM, and a service without code and param.
  [400, { error: { ...FULL, message: `${CONTEXT}. Please reduce the length of the messages.`, param: "messages" } }],
  [400, { error: { ...FULL, message: `${CONTEXT}, however you requested 2300 tokens`, param: "messages" } }],
  [400, { object: "error", message: CONTEXT, type: "BadRequestError", param: null, code: 400 }],
  [400, { error: { message: CONTEXT, type: "invalid_request_error" } }],
])("%i %j does not", (status, body) => {
  expect(unknownModel(refusedWith(status, body), DEFAULT)).toBeUndefined();
});
