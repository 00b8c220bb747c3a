import { expect, test } from "vitest";
import { readStream } from "./read-stream.ts";

const SSE = "text/event-stream; charset=utf-8";
const token = (text: string): string =>
  `data: {"choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';
const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":7}}\n\n';
const done = "data: [DONE]\n\n";
const errFrame = 'data: {"error":{"message":"overloaded"}}\n\n';

/** What a body shows, in a few words: the same facts as the tests of the extension compare. */
function summary(contentType: string, body: string, whole = true): string {
  const read = readStream(contentType, body, whole);
  return [
    read.problem?.outcome ?? "ok",
    ...(read.chunks === undefined ? [] : [`chunks=${read.chunks} tokens=${read.output_tokens}:${read.token_source}`]),
    ...(read.done_seen ? ["done"] : []),
    ...(read.finish_reason ? [`finish=${read.finish_reason}`] : []),
    ...(read.format ? [`format=${read.format}`] : []),
    ...read.flags.map((flag) => `!${flag}`),
  ].join(" ");
}

test.each([
  [
    "two tokens and [DONE]",
    role + token("a") + token("b") + finish + done,
    "ok chunks=2 tokens=2:chunks done finish=stop",
  ],
  ["usage in an event", token("a") + usage + done, "ok chunks=1 tokens=7:usage done"],
  ["CR-only line ends", (token("a") + done).replaceAll("\n", "\r"), "ok chunks=1 tokens=1:chunks done"],
  ["white space after [DONE]", `${token("a")}data: [DONE] \t\n\n`, "ok chunks=1 tokens=1:chunks done"],
  [
    "events after [DONE] are not read",
    `${token("a") + done + token("b") + errFrame}data: {\n\n`,
    "ok chunks=1 tokens=1:chunks done",
  ],
  ["[done] in small letters", `${token("a")}data: [done]\n\n`, "malformed chunks=1 tokens=1:chunks"],
  ["finish_reason without [DONE]", token("a") + finish, "ok chunks=1 tokens=1:chunks finish=stop !no-done"],
  ["neither [DONE] nor finish_reason", token("a"), "no_done chunks=1 tokens=1:chunks"],
  ["an empty stream", "", "no_done chunks=0 tokens=0:chunks"],
  ["no content but [DONE]", role + finish + done, "ok chunks=0 tokens=0:chunks done finish=stop"],
  [
    "two choices count once",
    `data: {"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}\n\n${done}`,
    "ok chunks=1 tokens=1:chunks done",
  ],
  [
    "a delta that is null or missing",
    `data: {"choices":[{"delta":null},{}]}\n\n${token("a")}${done}`,
    "ok chunks=1 tokens=1:chunks done",
  ],
  ["an event with empty data", `data:\n\n${token("a")}${done}`, "ok chunks=1 tokens=1:chunks done"],
  ["an error frame wins over [DONE]", token("a") + errFrame + done, "error_frame chunks=1 tokens=1:chunks done"],
  [
    "an error that is null is none",
    `data: {"error":null,"choices":[{"delta":{"content":"a"}}]}\n\n${done}`,
    "ok chunks=1 tokens=1:chunks done",
  ],
  ["an error event with any data", `event: error\ndata: oh no\n\n${done}`, "error_frame chunks=0 tokens=0:chunks done"],
  ["a named event with choices", `event: delta\n${token("a")}${done}`, "ok chunks=1 tokens=1:chunks done"],
  [
    "other named events are ignored",
    `event: ping\ndata: nonsense\n\nevent: x\ndata: 3\n\n${token("a")}${done}`,
    "ok chunks=1 tokens=1:chunks done",
  ],
  ["data that is no JSON", `data: {"choices":[\n\n${done}`, "malformed chunks=0 tokens=0:chunks done"],
  ["data that is no object", `data: [1]\n\n${done}`, "contract chunks=0 tokens=0:chunks done"],
  [
    "content that is a number",
    `data: {"choices":[{"delta":{"content":3}}]}\n\n${done}`,
    "contract chunks=0 tokens=0:chunks done",
  ],
  ["choices that are no array", `data: {"choices":{}}\n\n${done}`, "contract chunks=0 tokens=0:chunks done"],
  [
    "a whole completion",
    `data: {"choices":[{"message":{"content":"a"}}]}\n\n${done}`,
    "contract chunks=0 tokens=0:chunks done",
  ],
  ["the first thing wrong decides", `data: [1]\n\ndata: {\n\n${errFrame}`, "contract chunks=0 tokens=0:chunks"],
  [
    "clean end without the last blank line",
    `${token("a")}data: [DONE]`,
    "ok chunks=1 tokens=1:chunks done !unfinished-event",
  ],
  [
    "clean end within a token event",
    token("a") + token("b").trimEnd(),
    "no_done chunks=2 tokens=2:chunks !unfinished-event",
  ],
  [
    "clean end within an event's JSON",
    `${token("a")}data: {"choi`,
    "truncated chunks=1 tokens=1:chunks !unfinished-event",
  ],
])("a stream: %s", (_, body, facts) => {
  expect(summary(SSE, body)).toBe(facts);
});

test.each([
  ["HTML by media type", "text/html; charset=utf-8", "<html>", "malformed"],
  ["HTML under the stream's media type", SSE, "\n <!doctype html>", "malformed"],
  ["a JSON answer", "application/json", '{"choices":[]}', "malformed"],
  ["a JSON error", "application/json", '{"error":{"message":"no"}}', "error_frame"],
  ["a JSON error under the stream's media type", SSE, '{"error":{"message":"no"}}', "error_frame"],
  ["events without media type", "", token("a") + done, "ok chunks=1 tokens=1:chunks done !media-type"],
  ["events as text/plain", "text/plain", token("a") + done, "ok chunks=1 tokens=1:chunks done !media-type"],
  ["no events without media type", "", "hello", "malformed chunks=0 tokens=0:chunks !media-type"],
  ["plain text", "text/plain; charset=utf-8", "date: today", "ok format=text"],
  ["JSON lines", "application/x-ndjson", '{"token":"a"}\n{"token":"b"}\n', "ok format=json-lines"],
  ["plain text without a byte", "text/plain", "", "no_done format=text"],
])("by media type: %s", (_, contentType, body, facts) => {
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
