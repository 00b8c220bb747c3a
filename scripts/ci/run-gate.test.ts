import { expect, test } from "vitest";
import { wordsOf } from "./run-gate.ts";

test.each([
  ["", []],
  [" load  chat-stream ", ["load", "chat-stream"]],
  ["--slo 'ttft_p95<800ms' --rate 20", ["--slo", "ttft_p95<800ms", "--rate", "20"]],
  ['--abort-on="error_rate>20% over 10s"', ["--abort-on=error_rate>20% over 10s"]],
  ["a\\ b $HOME `id` ''", ["a b", "$HOME", "`id`", ""]],
  ["--rate 20\n--duration 30s", ["--rate", "20", "--duration", "30s"]],
])("the words of %j", (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test("a quote that is not closed is an error", () => {
  expect(() => wordsOf("--slo 'ttft")).toThrow("a quote is not closed");
});
