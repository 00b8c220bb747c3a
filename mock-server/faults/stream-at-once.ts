/** A proxy that buffers the whole stream. */

import { lastMs } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-at-once",
  about: "every event comes at the end, at once",
  breaks: [],
  route: "chat.stream",
  stream: (script) => {
    const atMs = lastMs(script.frames);
    return { ...script, headersAtMs: atMs, frames: script.frames.map((frame) => ({ ...frame, atMs })) };
  },
});
