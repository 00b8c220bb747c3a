/** Events after the end. */

import { extra, lastMs, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-after-done",
  about: "an event with content follows [DONE]",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const last = stream.frames.findLast(({ kind }) => kind === "content");
    if (last === undefined) return stream;
    return { ...stream, frames: [...stream.frames, extra(lastMs(stream.frames), textOf(last))] };
  },
});
