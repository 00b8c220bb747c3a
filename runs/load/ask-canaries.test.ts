import { expect, test } from "vitest";
import { textOf } from "./ask-canaries.ts";

const delta = (content: string): string => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`;

test("a canary response that holds an error is no text that changed", () => {
  expect(textOf(`${delta("a")}${delta("b")}data: [DONE]\n\n`)).toBe("ab");
  for (const error of [
    'data: {"error":{"message":"no"}}',
    'data: {"object":"error","message":"no"}',
    "event: error\ndata: no",
  ])
    expect(() => textOf(`${delta("a")}${error}\n\ndata: [DONE]\n\n`)).toThrow("the response holds an error");
  expect(() => textOf('{"error":{"message":"no"}}')).toThrow("the response holds an error");
});
