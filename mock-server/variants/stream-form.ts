/** The form of a chat stream: headers, events, bytes and times. */

import { ASSISTANT_ROLE } from "../../contract/service.ts";
import { isObject } from "../../lib/json.ts";
import type { WholeStream } from "../base/mock-response.ts";
import {
  changedChunks,
  eachChunk,
  eachFrame,
  extra,
  firstHalf,
  lastMs,
  middleFrame,
  textOf,
  twice,
  withoutFrames,
} from "./transforms.ts";
import { fault, permitted, type Variant } from "./variant.ts";

const route = "chat.stream";
const PAUSE_MS = 2000;
const SLOW_HEADERS_MS = 200;
/** So much earlier that it has fewer digits than the time of now, which tests leave out. */
const LONG_BEFORE_S = 10 ** 9;
const MEGABYTE = 1024 * 1024;
const CONTENT = /"content":("(?:[^"\\]|\\.)*")/;

const USAGE = '"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}';

/** Replaces the last chunk of a reply in streams whose request does not ask for usage. */
const lastOfUnasked =
  (change: (text: string) => readonly string[]) =>
  (stream: WholeStream): WholeStream => ({
    ...stream,
    frames: stream.frames.flatMap((frame, at, all) =>
      frame.kind === "finish" && all[at + 1]?.kind !== "usage"
        ? change(textOf(frame)).map((bytes) => ({ ...frame, bytes }))
        : [frame],
    ),
  });

export const streamForm: readonly Variant[] = [
  permitted("crlf-events", route, "the lines of a stream end with CR LF", {
    faultName: "stream-crlf",
    transformStream: eachFrame((text) => text.replaceAll("\n", "\r\n")),
  }),
  permitted("cr-events", route, "the lines of a stream end with CR", {
    faultName: "stream-cr",
    transformStream: eachFrame((text) => text.replaceAll("\n", "\r")),
  }),
  permitted("spaceless-events", route, 'events have no space after "data:"', {
    faultName: "stream-no-space",
    transformStream: eachFrame((text) => text.replace("data: ", "data:")),
  }),
  permitted("numbered-events", route, "events have an id, the name message and a retry time", {
    faultName: "stream-ids",
    transformStream: eachFrame((text, { kind, atMs }) => `retry: 3000\nid: ${kind}-${atMs}\nevent: message\n${text}`),
  }),
  permitted("commented-events", route, "a comment precedes every event", {
    faultName: "stream-comments",
    transformStream: eachFrame((text) => `: keep-alive\n\n${text}`),
  }),
  permitted("no-role-event", route, "a stream begins with content, without an event for the role", {
    faultName: "stream-no-role",
    transformStream: withoutFrames("role"),
  }),
  permitted("one-event", route, "the content of a stream is one event, sent when its last token is due", {
    faultName: "stream-one-event",
    transformStream: (stream) => {
      const contents = stream.frames.filter(({ kind }) => kind === "content");
      const text = contents.map((frame) => CONTENT.exec(textOf(frame))?.[1]?.slice(1, -1) ?? "").join("");
      const whole = contents.slice(-1).map((frame) => ({
        ...frame,
        bytes: textOf(frame).replace(CONTENT, () => `"content":"${text}"`),
      }));
      return {
        ...stream,
        frames: stream.frames.flatMap((frame) =>
          frame.kind !== "content" ? [frame] : frame === contents.at(-1) ? whole : [],
        ),
      };
    },
  }),
  permitted("json-lines", route, "a stream is JSON lines of the type application/x-ndjson", {
    transformStream: (stream) => ({
      ...withoutFrames("done")(eachFrame((text) => `${text.slice("data: ".length).trimEnd()}\n`)(stream)),
      headers: { "content-type": "application/x-ndjson" },
    }),
  }),
  permitted("text-stream", route, "a stream is the text of the reply, of the type text/plain", {
    transformStream: (stream) => ({
      ...stream,
      headers: { "content-type": "text/plain; charset=utf-8" },
      frames: stream.frames
        .filter(({ kind }) => kind === "content")
        .map((frame) => ({ ...frame, bytes: CONTENT.exec(textOf(frame))?.[1]?.slice(1, -1) ?? "" })),
    }),
  }),
  fault("stream-media-type", route, "a stream of events has the type text/plain", {
    transformStream: (stream) => ({ ...stream, headers: { ...stream.headers, "content-type": "text/plain" } }),
  }),
  fault("stream-html", route, "a stream is an HTML page with status 200", {
    transformStream: (stream) => ({
      ...stream,
      headers: { "content-type": "text/html" },
      frames: [extra(0, "<!doctype html><title>Welcome</title><p>It works!")],
    }),
  }),
  fault("stream-object-other", route, 'object of every chunk is "chunk"', {
    transformStream: eachFrame((text) => text.replace("chat.completion.chunk", "chunk")),
  }),
  fault("stream-other-ids", route, "each event of a stream has an id of its own", {
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.map((frame, i) => ({
        ...frame,
        bytes: textOf(frame).replace(/"id":"[^"]*"/, `"id":"chatcmpl-${i}"`),
      })),
    }),
  }),
  fault("stream-id-missing", route, "the chunks of a stream have no id", {
    transformStream: changedChunks("id", () => undefined),
  }),
  fault("stream-created-fraction", route, "created of every chunk has a fraction", {
    transformStream: changedChunks("created", (created) => Number(created) + 0.5),
  }),
  fault("stream-created-changes", route, "created of a stream is earlier in all chunks but the first", {
    transformStream: eachChunk((chunk, _, at) => ({
      ...chunk,
      created: Number(chunk["created"]) - (at === 0 ? 0 : LONG_BEFORE_S),
    })),
  }),
  fault("stream-model-changes", route, "model of the chunks with content is another one", {
    transformStream: eachChunk((chunk, { kind }) => (kind === "content" ? { ...chunk, model: "other-model" } : chunk)),
  }),
  fault("stream-delta-missing", route, "the choice with the finish_reason has no delta", {
    transformStream: eachFrame((text, { kind }) => (kind === "finish" ? text.replace('"delta":{},', "") : text)),
  }),
  fault("stream-role-each", route, "every delta of a stream has the role", {
    transformStream: changedChunks("choices[].delta", (delta) => ({
      role: ASSISTANT_ROLE,
      ...(isObject(delta) ? delta : {}),
    })),
  }),
  fault("stream-finish-empty", route, "finish_reason is an empty text in all chunks before the last", {
    transformStream: changedChunks("choices[].finish_reason", (reason) => reason ?? ""),
  }),
  fault("stream-finish-absent", route, "finish_reason is missing in all chunks before the last", {
    transformStream: changedChunks("choices[].finish_reason", (reason) => reason ?? undefined),
  }),
  fault("stream-finish-unknown", route, 'finish_reason of a stream is "done"', {
    transformStream: changedChunks("choices[].finish_reason", (reason) => reason && "done"),
  }),
  fault("stream-finish-twice", route, "two chunks of a stream have the finish_reason", {
    transformStream: twice("finish"),
  }),
  fault("stream-no-content", route, "no chunk of a stream has content", {
    transformStream: withoutFrames("content"),
  }),
  fault("stream-usage-with-finish", route, "the chunk with the finish_reason has usage that nobody asked for", {
    transformStream: lastOfUnasked((text) => [text.replace("{", `{${USAGE},`)]),
  }),
  fault("stream-usage-always", route, "a stream has usage even if its request does not ask for usage", {
    transformStream: lastOfUnasked((text) => [text, text.replace(/"choices":\[.*\]/, `"choices":[],${USAGE}`)]),
  }),
  fault("stream-index-missing", route, "the choices of a stream have no index", {
    transformStream: eachFrame((text) => text.replace('"index":0,', "")),
  }),
  fault("stream-content-wrong-type", route, "content of every delta is a number", {
    transformStream: eachFrame((text) => text.replace(CONTENT, '"content":7')),
  }),
  fault("stream-wrong-type", route, "content of the middle event is a number", {
    transformStream: middleFrame(
      () => 'data: {"choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}\n\n',
    ),
  }),
  fault("stream-malformed", route, "the middle event of a stream is incomplete JSON", {
    transformStream: middleFrame(() => 'data: {"choices":[{"index":0,"delta":{"con\n\n'),
  }),
  fault("stream-huge-event", route, "the middle event of a stream has one megabyte of content", {
    transformStream: middleFrame((text) => text.replace('"content":"', `"content":"${"x".repeat(MEGABYTE)}`)),
  }),
  fault("stream-usage-missing", route, "a stream has no usage, although the request asks for usage", {
    transformStream: withoutFrames("usage"),
  }),
  fault("stream-usage-twice", route, "two events of a stream have the usage that the request asks for", {
    transformStream: twice("usage"),
  }),
  fault("stream-usage-first", route, "the usage that the request asks for comes first", {
    transformStream: (stream) => ({
      ...stream,
      frames: [
        ...stream.frames.filter(({ kind }) => kind === "usage").map((frame) => ({ ...frame, atMs: 0 })),
        ...stream.frames.filter(({ kind }) => kind !== "usage"),
      ],
    }),
  }),
  fault("stream-usage-few", route, "the usage of a stream counts one completion token", {
    transformStream: eachFrame((text, { kind }) =>
      kind === "usage" ? text.replace(/"completion_tokens":\d+/, '"completion_tokens":1') : text,
    ),
  }),
  fault("stream-usage-choices", route, "the event with the usage that the request asks for has a choice too", {
    transformStream: eachFrame((text, { kind }) =>
      kind === "usage" ? text.replace('"choices":[]', '"choices":[{"index":0,"delta":{},"finish_reason":null}]') : text,
    ),
  }),
  fault("stream-no-data-field", route, 'the events of a stream lack "data:"', {
    transformStream: eachFrame((text) => text.replace("data: ", "")),
  }),
  fault("stream-no-blank-lines", route, "the events of a stream have no blank line between them", {
    transformStream: eachFrame((text) => text.replace(/\n\n$/, "\n")),
  }),
  fault("stream-bom", route, "a stream begins with a byte order mark", {
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.map((frame, i) => (i === 0 ? { ...frame, bytes: `\uFEFF${textOf(frame)}` } : frame)),
    }),
  }),
  fault("stream-split-bytes", route, "every byte of a stream is a separate HTTP chunk", {
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.flatMap((frame) => {
        const bytes = Buffer.from(frame.bytes);
        return Array.from(bytes, (_, i) => ({
          ...frame,
          kind: i === bytes.length - 1 ? frame.kind : "other",
          bytes: bytes.subarray(i, i + 1),
        }));
      }),
    }),
  }),
  fault("stream-coalesced", route, "events are written in pairs, when the second one is due", {
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.map((frame, i, all) =>
        frame.kind === "content" && i % 2 === 1 && all[i + 1]?.kind === "content"
          ? { ...frame, atMs: all[i + 1]?.atMs ?? frame.atMs }
          : frame,
      ),
    }),
  }),
  fault("stream-at-once", route, "all events are written together when the last one is due", {
    transformStream: (stream) => {
      const atMs = lastMs(stream.frames);
      return { ...stream, headersAtMs: atMs, frames: stream.frames.map((frame) => ({ ...frame, atMs })) };
    },
  }),
  fault("stream-pause", route, "a stream pauses for two seconds in the middle", {
    transformStream: (stream) => {
      const at = firstHalf(stream).length;
      return {
        ...stream,
        frames: stream.frames.map((frame, i) => (i < at ? frame : { ...frame, atMs: frame.atMs + PAUSE_MS })),
      };
    },
  }),
  fault(
    "stream-slow-headers",
    route,
    "the headers of a stream are sent with the first token, after 200 ms at the earliest",
    {
      transformStream: (stream) => {
        const first = stream.frames.find(({ kind }) => kind === "content")?.atMs ?? 0;
        return { ...stream, headersAtMs: Math.max(first, SLOW_HEADERS_MS) };
      },
    },
  ),
];
