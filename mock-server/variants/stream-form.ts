/** The form of a chat stream: headers, events, bytes and times. */

import { eachFrame, extra, firstHalf, lastMs, middleFrame, textOf, withoutFrames } from "./transforms.ts";
import type { Variant } from "./variant.ts";

const route = "chat.stream";
const PAUSE_MS = 2000;
const SLOW_HEADERS_MS = 200;
const MEGABYTE = 1024 * 1024;
const CONTENT = /"content":("(?:[^"\\]|\\.)*")/;

export const streamForm: readonly Variant[] = [
  {
    name: "crlf-events",
    faultName: "stream-crlf",
    kind: "permitted",
    about: "the lines of a stream end with CR LF",
    route,
    transformStream: eachFrame((text) => text.replaceAll("\n", "\r\n")),
  },
  {
    name: "cr-events",
    faultName: "stream-cr",
    kind: "permitted",
    about: "the lines of a stream end with CR",
    route,
    transformStream: eachFrame((text) => text.replaceAll("\n", "\r")),
  },
  {
    name: "spaceless-events",
    faultName: "stream-no-space",
    kind: "permitted",
    about: 'events have no space after "data:"',
    route,
    transformStream: eachFrame((text) => text.replace("data: ", "data:")),
  },
  {
    name: "numbered-events",
    faultName: "stream-ids",
    kind: "permitted",
    about: "events have an id, the name message and a retry time",
    route,
    transformStream: eachFrame((text, { kind, atMs }) => `retry: 3000\nid: ${kind}-${atMs}\nevent: message\n${text}`),
  },
  {
    name: "commented-events",
    faultName: "stream-comments",
    kind: "permitted",
    about: "a comment precedes every event",
    route,
    transformStream: eachFrame((text) => `: keep-alive\n\n${text}`),
  },
  {
    name: "no-role-event",
    faultName: "stream-no-role",
    kind: "permitted",
    about: "a stream begins with content, without an event for the role",
    route,
    transformStream: withoutFrames("role"),
  },
  {
    name: "one-event",
    faultName: "stream-one-event",
    kind: "permitted",
    about: "the content of a stream is one event, sent when its last token is due",
    route,
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
  },
  {
    name: "json-lines",
    kind: "permitted",
    about: "a stream is JSON lines of the type application/x-ndjson",
    route,
    transformStream: (stream) => ({
      ...withoutFrames("done")(eachFrame((text) => `${text.slice("data: ".length).trimEnd()}\n`)(stream)),
      headers: { "content-type": "application/x-ndjson" },
    }),
  },
  {
    name: "text-stream",
    kind: "permitted",
    about: "a stream is the text of the reply, of the type text/plain",
    route,
    transformStream: (stream) => ({
      ...stream,
      headers: { "content-type": "text/plain; charset=utf-8" },
      frames: stream.frames
        .filter(({ kind }) => kind === "content")
        .map((frame) => ({ ...frame, bytes: CONTENT.exec(textOf(frame))?.[1]?.slice(1, -1) ?? "" })),
    }),
  },
  {
    name: "stream-media-type",
    kind: "fault",
    about: "a stream of events has the type text/plain",
    route,
    transformStream: (stream) => ({ ...stream, headers: { ...stream.headers, "content-type": "text/plain" } }),
  },
  {
    name: "stream-html",
    kind: "fault",
    about: "a stream is an HTML page with status 200",
    route,
    transformStream: (stream) => ({
      ...stream,
      headers: { "content-type": "text/html" },
      frames: [extra(0, "<!doctype html><title>Welcome</title><p>It works!")],
    }),
  },
  {
    name: "stream-object-other",
    kind: "fault",
    about: 'object of every chunk is "chunk"',
    route,
    transformStream: eachFrame((text) => text.replace("chat.completion.chunk", "chunk")),
  },
  {
    name: "stream-other-ids",
    kind: "fault",
    about: "each event of a stream has an id of its own",
    route,
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.map((frame, i) => ({
        ...frame,
        bytes: textOf(frame).replace(/"id":"[^"]*"/, `"id":"chatcmpl-${i}"`),
      })),
    }),
  },
  {
    name: "stream-index-missing",
    kind: "fault",
    about: "the choices of a stream have no index",
    route,
    transformStream: eachFrame((text) => text.replace('"index":0,', "")),
  },
  {
    name: "stream-content-wrong-type",
    kind: "fault",
    about: "content of every delta is a number",
    route,
    transformStream: eachFrame((text) => text.replace(CONTENT, '"content":7')),
  },
  {
    name: "stream-wrong-type",
    kind: "fault",
    about: "content of the middle event is a number",
    route,
    transformStream: middleFrame(
      () => 'data: {"choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}\n\n',
    ),
  },
  {
    name: "stream-malformed",
    kind: "fault",
    about: "the middle event of a stream is incomplete JSON",
    route,
    transformStream: middleFrame(() => 'data: {"choices":[{"index":0,"delta":{"con\n\n'),
  },
  {
    name: "stream-huge-event",
    kind: "fault",
    about: "the middle event of a stream has one megabyte of content",
    route,
    transformStream: middleFrame((text) => text.replace('"content":"', `"content":"${"x".repeat(MEGABYTE)}`)),
  },
  {
    name: "stream-usage-missing",
    kind: "fault",
    about: "a stream has no usage, although the request asks for it",
    route,
    transformStream: withoutFrames("usage"),
  },
  {
    name: "stream-usage-twice",
    kind: "fault",
    about: "two events of a stream have the usage that the request asks for",
    route,
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.flatMap((frame) => (frame.kind === "usage" ? [frame, frame] : [frame])),
    }),
  },
  {
    name: "stream-usage-first",
    kind: "fault",
    about: "the usage that the request asks for comes first",
    route,
    transformStream: (stream) => ({
      ...stream,
      frames: [
        ...stream.frames.filter(({ kind }) => kind === "usage").map((frame) => ({ ...frame, atMs: 0 })),
        ...stream.frames.filter(({ kind }) => kind !== "usage"),
      ],
    }),
  },
  {
    name: "stream-usage-choices",
    kind: "fault",
    about: "the event with the usage that the request asks for has a choice too",
    route,
    transformStream: eachFrame((text, { kind }) =>
      kind === "usage" ? text.replace('"choices":[]', '"choices":[{"index":0,"delta":{},"finish_reason":null}]') : text,
    ),
  },
  {
    name: "stream-no-data-field",
    kind: "fault",
    about: 'the events of a stream lack "data:"',
    route,
    transformStream: eachFrame((text) => text.replace("data: ", "")),
  },
  {
    name: "stream-no-blank-lines",
    kind: "fault",
    about: "the events of a stream have no blank line between them",
    route,
    transformStream: eachFrame((text) => text.replace(/\n\n$/, "\n")),
  },
  {
    name: "stream-bom",
    kind: "fault",
    about: "a stream begins with a byte order mark",
    route,
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.map((frame, i) => (i === 0 ? { ...frame, bytes: `\uFEFF${textOf(frame)}` } : frame)),
    }),
  },
  {
    name: "stream-split-bytes",
    kind: "fault",
    about: "every byte of a stream is a separate HTTP chunk",
    route,
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
  },
  {
    name: "stream-coalesced",
    kind: "fault",
    about: "events are written in pairs, when the second one is due",
    route,
    transformStream: (stream) => ({
      ...stream,
      frames: stream.frames.map((frame, i, all) =>
        frame.kind === "content" && i % 2 === 1 && all[i + 1]?.kind === "content"
          ? { ...frame, atMs: all[i + 1]?.atMs ?? frame.atMs }
          : frame,
      ),
    }),
  },
  {
    name: "stream-at-once",
    kind: "fault",
    about: "all events are written together when the last one is due",
    route,
    transformStream: (stream) => {
      const atMs = lastMs(stream.frames);
      return { ...stream, headersAtMs: atMs, frames: stream.frames.map((frame) => ({ ...frame, atMs })) };
    },
  },
  {
    name: "stream-pause",
    kind: "fault",
    about: "a stream pauses for two seconds in the middle",
    route,
    transformStream: (stream) => {
      const at = firstHalf(stream).length;
      return {
        ...stream,
        frames: stream.frames.map((frame, i) => (i < at ? frame : { ...frame, atMs: frame.atMs + PAUSE_MS })),
      };
    },
  },
  {
    name: "stream-slow-headers",
    kind: "fault",
    about: "the headers of a stream are sent with the first token, after 200 ms at the earliest",
    route,
    transformStream: (stream) => {
      const first = stream.frames.find(({ kind }) => kind === "content")?.atMs ?? 0;
      return { ...stream, headersAtMs: Math.max(first, SLOW_HEADERS_MS) };
    },
  },
];
