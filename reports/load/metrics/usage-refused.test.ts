import { expect, test } from "vitest";
import { usageAdvice } from "./usage-refused.ts";

const refusal = {
  op: "chat.stream",
  status: 422,
  reason: 'The target returned status 422. {"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}',
};

test("streamed chats that are refused for asking for usage can do without", () => {
  expect(usageAdvice(refusal)).toContain("repeat with --set no-usage");
  const reason = "The target returned status 400. Unrecognized request argument supplied: include_usage";
  expect(usageAdvice({ ...refusal, status: 400, reason })).toContain("repeat with --set no-usage");
});

test.each([
  { op: "chat" },
  { op: "embeddings" },
  { status: 500 },
  { status: undefined },
  { reason: undefined },
  { reason: "The target returned status 422. max_tokens is too large" },
])("other refusals, such as %j, are not explained by it", (change) => {
  expect(usageAdvice({ ...refusal, ...change })).toBeUndefined();
});
