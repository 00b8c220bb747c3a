import { expect, test } from "vitest";
import { lengthAdvice } from "./input-too-long.ts";

const refusal = { op: "embeddings", outcome: "http_error", status: 400 };

test.each([
  [
    "vLLM",
    400,
    `{"error":{"message":"This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input tokens, which exceeds this limit even without any output tokens."`,
  ],
  ["llama.cpp", 400, "request (8769 tokens) exceeds the available context size (2048 tokens), try increasing it"],
  ["llama.cpp, of vectors", 500, "input (5764 tokens) is too large to process. increase the physical batch size"],
  ["Ollama", 400, "the input length exceeds the context length"],
  ["SGLang", 400, "The input (3000 tokens) is longer than the model's maximum context length (2048 tokens)."],
  ["text-embeddings-inference", 413, "Input validation error: `inputs` must have less than 512 tokens. Given: 731"],
])("an input that is longer than the model of %s takes", (_, status, body) => {
  const reason = `The target returned status ${status}. ${body}`;
  expect(lengthAdvice({ ...refusal, status, reason })).toContain("send shorter ones, such as --input-tokens 100");
  expect(lengthAdvice({ ...refusal, op: "chat.stream", status, reason })).toContain("--input-tokens");
  expect(lengthAdvice({ ...refusal, op: "video.submit", status, reason })).toBeUndefined();
});

test("a request may be too large for what stands before the service", () => {
  const reason = 'The target returned status 413. It sent an HTML page, "413 Request Entity Too Large".';
  expect(lengthAdvice({ ...refusal, status: 413, reason })).toBe(
    "some inputs are larger than the target, or a proxy or firewall before it, takes: send shorter ones, such as --input-tokens 100, or raise that limit (client_max_body_size of nginx)",
  );
});

test.each([
  { reason: "The target returned status 400. max_tokens is too large: 5000. This model supports at most 4096 tokens." },
  { reason: "The target returned status 400. The model `m` does not exist." },
  { reason: undefined },
  { outcome: "rate_limited", status: 429, reason: "exceeds the available context size" },
])("other failures, such as %j, are not explained by it", (change) => {
  expect(lengthAdvice({ ...refusal, ...change })).toBeUndefined();
});
