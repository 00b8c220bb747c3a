/** What the official clients for Go, Java and Rust did with such members decided each level (`contract/openai-interface.ts`). */

import { expect, test } from "vitest";
import { CHUNK_MEMBERS, COMPLETION_MEMBERS } from "../../contract/openai-interface.ts";
import type { Json } from "../../lib/json.ts";
import { changeAt } from "../../mock-server/variants/change-member.ts";
import { answering } from "../../tests/support/targets/answering.ts";
import { chunksHaveMembers, hasMembers } from "./interface-members.ts";

const LEVELS = ["FAIL", "WARN"] as const;
const SHARED = {
  id: "c-1",
  created: 1_700_000_000,
  model: "m",
  system_fingerprint: "f",
  service_tier: "default",
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: {} },
};
const MESSAGE = { role: "assistant", content: "Hello.", refusal: null, tool_calls: [], annotations: [] };
const COMPLETION: Json = {
  ...SHARED,
  object: "chat.completion",
  choices: [{ index: 0, message: MESSAGE, logprobs: null, finish_reason: "stop" }],
};
const CHUNK: Json = {
  ...SHARED,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: MESSAGE, logprobs: {}, finish_reason: null }],
};

const documents = {
  completion: (changed: Json) => (hasMembers(COMPLETION_MEMBERS)(answering(changed)).kind === "broken" ? ["FAIL"] : []),
  chunk: (changed: Json) =>
    LEVELS.filter(
      (level) =>
        chunksHaveMembers(CHUNK_MEMBERS, level)(answering(`data: ${JSON.stringify(changed)}\n\ndata: [DONE]\n\n`))
          .kind === "broken",
    ),
};

test.each([
  ["completion", "created", 1.5, "FAIL"],
  ["completion", "created", 1_700_000_000_000, "FAIL"],
  ["completion", "created", "2026-01-31T00:00:00Z", "FAIL"],
  ["completion", "created", null, "FAIL"],
  ["completion", "object", undefined, "FAIL"],
  ["completion", "choices[].finish_reason", "", "FAIL"],
  ["completion", "choices[].logprobs", undefined, ""],
  ["completion", "choices[].logprobs", "none", "FAIL"],
  ["completion", "choices[].message.refusal", undefined, ""],
  ["completion", "choices[].message.tool_calls", {}, "FAIL"],
  ["completion", "choices[].message.tool_calls", null, ""],
  ["completion", "choices[].message.annotations", undefined, ""],
  ["completion", "usage.prompt_tokens_details", "none", "FAIL"],
  ["completion", "system_fingerprint", 7, "FAIL"],
  ["completion", "system_fingerprint", null, ""],
  // Stated by the specification, whose own clauses say so.
  ["completion", "id", undefined, ""],
  ["chunk", "id", null, "FAIL"],
  ["chunk", "model", undefined, "FAIL"],
  ["chunk", "choices", null, "FAIL"],
  ["chunk", "choices", [], ""],
  ["chunk", "choices[].index", "0", "FAIL"],
  ["chunk", "choices[].delta", null, "FAIL"],
  ["chunk", "choices[].delta.role", "model", "FAIL"],
  ["chunk", "choices[].delta.role", undefined, ""],
  ["chunk", "choices[].delta.content", null, ""],
  ["chunk", "choices[].delta.content", [], "FAIL"],
  ["chunk", "choices[].finish_reason", undefined, "WARN"],
  ["chunk", "choices[].logprobs", [], "FAIL"],
  ["chunk", "usage", null, ""],
  ["chunk", "usage", {}, "FAIL"],
  ["chunk", "usage.total_tokens", -1, "FAIL"],
  ["chunk", "service_tier", 1, "FAIL"],
] as const)("of a %s, %s as %j: %s", (name, path, value, level) => {
  const changed = changeAt(name === "chunk" ? CHUNK : COMPLETION, path, () => value);
  expect(documents[name](changed).join()).toBe(level);
});

test("all members that depart are named, each once", () => {
  const changed = changeAt(
    changeAt(COMPLETION, "created", () => 1.5),
    "object",
    () => undefined,
  );
  expect(hasMembers(COMPLETION_MEMBERS)(answering(changed))).toMatchObject({
    expected: "the OpenAI-compatible interface requires object to be there; created to be an integer",
    observed: "the target left out object; sent created as the number 1.5",
  });
});
