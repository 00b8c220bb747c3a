/** An error in the middle of a stream that began with 200. */

import { fault } from "../fault.ts";
import { extra, firstHalf, lastMs } from "../fault-kit.ts";
import { event } from "../routes/chat-stream.ts";

const ERROR = { message: "the model stopped working", type: "server_error", code: "internal_error", param: null };

export default fault({
  name: "stream-error-frame",
  about: "the middle of a stream is an error object, and the stream ends",
  breaks: [],
  route: "chat.stream",
  stream: (script) => {
    const frames = firstHalf(script);
    return { ...script, frames: [...frames, extra(lastMs(frames), event({ error: ERROR }))] };
  },
});
