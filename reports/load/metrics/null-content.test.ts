import { expect, test } from "vitest";
import { contentAdvice } from "./null-content.ts";

const failure = {
  op: "chat",
  outcome: "contract",
  status: 200,
  reason: "choices[0].message.content is null, where a string was expected.",
};

test("a completion without content may be one of reasoning alone", () => {
  expect(contentAdvice(failure)).toContain("raise --max-tokens");
});

test.each([
  [{ op: "embeddings" }],
  [{ outcome: "http_error" }],
  [{ reason: "choices[0].message.content is missing; a string was expected." }],
  [{ reason: undefined }],
])("it is no advice for %j", (change) => {
  expect(contentAdvice({ ...failure, ...change })).toBeUndefined();
});
