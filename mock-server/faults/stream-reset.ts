/** A connection that is reset in the middle of the stream. */

import { extra, firstHalf, lastMs } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-reset",
  about: "the connection is reset in the middle of a stream",
  breaks: ["chat.stream.ends"],
  route: "chat.stream",
  transformStream: (stream, { itlMs }) => {
    const frames = firstHalf(stream);
    const pause = extra(lastMs(frames) + Math.max(itlMs, 10), ": \n\n");
    return { ...stream, frames: [...frames, pause], ending: "reset" };
  },
});
