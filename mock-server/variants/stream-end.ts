/** How a chat stream ends. */

import { sseEvent } from "../base/sse-event.ts";
import { extra, firstHalf, lastMs, stopHalfway, textOf, twice, withoutFrames } from "./transforms.ts";
import { fault, permitted, type Variant } from "./variant.ts";

const route = "chat.stream";
const ERROR = { message: "the model stopped working", type: "server_error", code: "internal_error", param: null };
/** Before a reset, so that the bytes written before it arrive. */
const RESET_DELAY_MS = 10;

export const streamEnd: readonly Variant[] = [
  permitted("no-done", route, "a stream ends with its finish_reason, without [DONE]", {
    faultName: "stream-no-done",
    transformStream: withoutFrames("done"),
  }),
  fault("stream-no-end", route, "a stream ends without a finish_reason and without [DONE]", {
    transformStream: withoutFrames("done", "finish"),
  }),
  fault("stream-done-twice", route, "a stream ends with two [DONE]", {
    transformStream: twice("done"),
  }),
  fault("stream-after-done", route, "an event with content follows [DONE]", {
    transformStream: (stream) => {
      const last = stream.frames.findLast(({ kind }) => kind === "content");
      if (last === undefined) return stream;
      return { ...stream, frames: [...stream.frames, extra(lastMs(stream.frames), textOf(last))] };
    },
  }),
  fault("stream-empty", route, "a stream ends normally without a single byte", {
    transformStream: (stream) => ({ ...stream, frames: [] }),
  }),
  fault("stream-truncated", route, "the connection is closed in the middle of a stream, before the HTTP framing ends", {
    transformStream: stopHalfway("cut"),
  }),
  fault("stream-bad-chunk", route, "the HTTP chunk framing is invalid in the middle of a stream", {
    transformStream: stopHalfway("cut", "zz\r\nnot a chunk\r\n", true),
  }),
  fault("stream-reset", route, "the connection is reset in the middle of a stream", {
    transformStream: (stream, { itlMs }) => {
      const frames = firstHalf(stream);
      const pause = extra(lastMs(frames) + Math.max(itlMs, RESET_DELAY_MS), ": \n\n");
      return { ...stream, frames: [...frames, pause], ending: "reset" };
    },
  }),
  fault("stream-stall", route, "a stream stops in the middle and the connection stays open", {
    transformStream: stopHalfway("hang"),
  }),
  fault("stream-heartbeats", route, "a stream sends endless white space after half of its tokens", {
    transformStream: stopHalfway("endless"),
  }),
  fault("stream-error-frame", route, "a stream ends in the middle with an error object", {
    transformStream: stopHalfway("end", sseEvent({ error: ERROR })),
  }),
  fault("stream-error-event", route, "a stream ends in the middle with an event named error", {
    transformStream: stopHalfway("end", "event: error\ndata: the model stopped working\n\n"),
  }),
];
