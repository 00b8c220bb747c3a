/** A proxy that buffers the whole stream. */

import { lastMs } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-at-once",
  about: "every event comes at the end, at once",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const atMs = lastMs(stream.frames);
    return { ...stream, headersAtMs: atMs, frames: stream.frames.map((frame) => ({ ...frame, atMs })) };
  },
});
