/** How a chat stream ends. */

import { sseEvent } from "../base/sse-event.ts";
import { extra, firstHalf, lastMs, stopHalfway, textOf, withoutFrames } from "./transforms.ts";
import type { Variant } from "./variant.ts";

const route = "chat.stream";
const ERROR = { message: "the model stopped working", type: "server_error", code: "internal_error", param: null };
/** Before a reset, so that the bytes written before it arrive. */
const RESET_DELAY_MS = 10;

export const streamEnd: readonly Variant[] = [
  {
    name: "no-done",
    faultName: "stream-no-done",
    kind: "permitted",
    about: "a stream ends with its finish_reason, without [DONE]",
    route,
    transformStream: withoutFrames("done"),
  },
  {
    name: "stream-no-end",
    kind: "fault",
    about: "a stream ends without a finish_reason and without [DONE]",
    route,
    transformStream: withoutFrames("done", "finish"),
  },
  {
    name: "stream-after-done",
    kind: "fault",
    about: "an event with content follows [DONE]",
    route,
    transformStream: (stream) => {
      const last = stream.frames.findLast(({ kind }) => kind === "content");
      if (last === undefined) return stream;
      return { ...stream, frames: [...stream.frames, extra(lastMs(stream.frames), textOf(last))] };
    },
  },
  {
    name: "stream-empty",
    kind: "fault",
    about: "a stream ends normally without a single byte",
    route,
    transformStream: (stream) => ({ ...stream, frames: [] }),
  },
  {
    name: "stream-truncated",
    kind: "fault",
    about: "the connection is closed in the middle of a stream, before the HTTP framing ends",
    route,
    transformStream: stopHalfway("cut"),
  },
  {
    name: "stream-bad-chunk",
    kind: "fault",
    about: "the HTTP chunk framing is invalid in the middle of a stream",
    route,
    transformStream: stopHalfway("cut", "zz\r\nnot a chunk\r\n", true),
  },
  {
    name: "stream-reset",
    kind: "fault",
    about: "the connection is reset in the middle of a stream",
    route,
    transformStream: (stream, { itlMs }) => {
      const frames = firstHalf(stream);
      const pause = extra(lastMs(frames) + Math.max(itlMs, RESET_DELAY_MS), ": \n\n");
      return { ...stream, frames: [...frames, pause], ending: "reset" };
    },
  },
  {
    name: "stream-stall",
    kind: "fault",
    about: "a stream stops in the middle and the connection stays open",
    route,
    transformStream: stopHalfway("hang"),
  },
  {
    name: "stream-heartbeats",
    kind: "fault",
    about: "a stream sends endless white space after half of its tokens",
    route,
    transformStream: stopHalfway("endless"),
  },
  {
    name: "stream-error-frame",
    kind: "fault",
    about: "a stream ends in the middle with an error object",
    route,
    transformStream: stopHalfway("end", sseEvent({ error: ERROR })),
  },
  {
    name: "stream-error-event",
    kind: "fault",
    about: "a stream ends in the middle with an event named error",
    route,
    transformStream: stopHalfway("end", "event: error\ndata: the model stopped working\n\n"),
  },
];
