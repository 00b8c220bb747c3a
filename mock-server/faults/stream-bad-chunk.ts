/** Bytes in the middle of the stream that are no chunk of HTTP. */

import { extra, firstHalf, lastMs } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-bad-chunk",
  about: "the chunk framing breaks in the middle of a stream",
  breaks: ["chat.stream.ends"],
  route: "chat.stream",
  transformStream: (stream) => {
    const frames = firstHalf(stream);
    const garbage = extra(lastMs(frames), "zz\r\nnot a chunk\r\n", true);
    return { ...stream, frames: [...frames, garbage], ending: "cut" };
  },
});
