import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { readStream } from "./read-stream.ts";

const token = (text: string): string =>
  `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
const errFrame = 'data: {"error":{"message":"overloaded"}}\n\n';

/** What a body shows, in a few words: the same facts as the tests of the extension compare. */
function summary(contentType: string, body: string, whole = true): string {
  const read = readStream(contentType, body, whole);
  return [
    read.problem?.outcome ?? "ok",
    ...(read.chunks === undefined ? [] : [`chunks=${read.chunks} tokens=${read.output_tokens}:${read.token_source}`]),
    ...(read.input_tokens === undefined ? [] : [`input=${read.input_tokens}`]),
    ...(read.reasoning_tokens === undefined ? [] : [`reasoning=${read.reasoning_tokens}`]),
    ...(read.done_seen ? ["done"] : []),
    ...(read.finish_reason ? [`finish=${read.finish_reason}`] : []),
    ...(read.format ? [`format=${read.format}`] : []),
    ...read.flags.map((flag) => `!${flag}`),
  ].join(" ");
}

/** Shared with the tests of the extension. */
const cases = z
  .array(z.object({ name: z.string(), contentType: z.string(), body: z.string(), facts: z.string() }))
  .parse(JSON.parse(readFileSync(new URL("../testdata/chat-streams.json", import.meta.url), "utf8")));

test.each(cases)("a stream: $name", ({ contentType, body, facts }) => {
  expect(summary(contentType, body)).toBe(facts);
});

test.each([
  ["a token counts", token("a"), "ok chunks=1 tokens=1:chunks"],
  ["so does an error frame", token("a") + errFrame, "error_frame chunks=1 tokens=1:chunks"],
  ["but not the event that was cut", `${token("a")}data: {"choi`, "ok chunks=1 tokens=1:chunks"],
  ["and JSON that was cut says nothing", '{"error":', "ok"],
])("what came before a body broke off: %s", (_, body, facts) => {
  expect(summary("", body, false)).toBe(facts);
});
