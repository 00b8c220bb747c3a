/** An error in the middle of a stream that began with 200. */

import { sseEvent } from "../base/sse-event.ts";
import { extra, firstHalf, lastMs } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

const ERROR = { message: "the model stopped working", type: "server_error", code: "internal_error", param: null };

export default fault({
  name: "stream-error-frame",
  about: "the middle of a stream is an error object, and the stream ends",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const frames = firstHalf(stream);
    return { ...stream, frames: [...frames, extra(lastMs(frames), sseEvent({ error: ERROR }))] };
  },
});
