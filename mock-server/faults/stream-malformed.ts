/** An event that is no JSON. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-malformed",
  about: "the middle event of a stream is cut JSON",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const at = firstHalf(stream).length;
    const cut = 'data: {"choices":[{"index":0,"delta":{"con\n\n';
    return { ...stream, frames: stream.frames.map((frame, i) => (i === at ? { ...frame, bytes: cut } : frame)) };
  },
});
