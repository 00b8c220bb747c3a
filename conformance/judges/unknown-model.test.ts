import { expect, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { REFUSALS } from "../../tests/support/targets/real-refusals.ts";
import { loadClauses } from "../engine/load-clauses.ts";
import { evaluateRecorded } from "../engine/recorded-run.ts";
import { keyAccepted } from "./auth.ts";
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

test.each(REFUSALS)("the refusal of $service ($status) is about $cause", ({ cause, status, body }) => {
  const exchange = refusedWith(status, body);
  const finding = unknownModel(exchange, DEFAULT);
  if (cause === "model")
    expect(finding?.kind === "inconclusive" && finding.why).toContain("name one with --chat-model");
  else expect(finding).toBeUndefined();
  const isOfKey = keyAccepted([exchange], [[exchange]], DEFAULT);
  if (cause === "key")
    expect(isOfKey.kind === "inconclusive" && isOfKey.why).toContain("the target refused the API key everywhere");
  else expect(isOfKey).toMatchObject({ kind: "inconclusive", elsewhere: true });
});

test("a model that the target served before is known to it, whatever the words of a later refusal", async () => {
  const clauses = await loadClauses();
  const probeOf = (id: string): string => clauses.find((one) => one.id === id)?.probes[0].name ?? "";
  const refused = refusedWith(400, { error: { message: "assay-chat: not an available model for this sampling" } });
  const served = refusedWith(200, {
    ...{ id: "c-1", object: "chat.completion", created: 1, model: "assay-chat" },
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  const verdictBeside = async (minimal: Exchange) => {
    const exchanges = [
      { ...minimal, probe: probeOf("chat.minimal") },
      { ...refused, id: 2, probe: probeOf("chat.roles") },
    ];
    return (await evaluateRecorded(clauses, exchanges, DEFAULT)).get("chat.roles");
  };
  expect(await verdictBeside(served)).toMatchObject({ verdict: "FAIL", reason: expect.stringContaining("400") });
  expect((await verdictBeside(refused))?.verdict).not.toBe("FAIL");
});

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

test("a model that its user named is a failure, and the reason says which setting to correct", async () => {
  const clauses = await loadClauses();
  const probe = clauses.find(({ id }) => id === "chat.minimal")?.probes[0].name ?? "";
  const reasonOf = async (message: string) => {
    const exchanges = [{ ...refusedWith(400, { error: { message } }), probe }];
    const verdict = (await evaluateRecorded(clauses, exchanges, { ...DEFAULT, defaultModels: [] })).get("chat.minimal");
    expect(verdict?.verdict).toBe("FAIL");
    return verdict?.reason;
  };
  expect(await reasonOf("Invalid model name passed in model=assay-chat")).toContain(
    '"Invalid model name passed in model=assay-chat"; if it has no model assay-chat, correct --chat-model',
  );
  expect(await reasonOf("messages: too short")).not.toContain("--chat-model");
});
