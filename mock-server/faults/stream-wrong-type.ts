/** A content that is a number. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-wrong-type",
  about: "the content of the middle event is a number",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const at = firstHalf(stream).length;
    const number = 'data: {"choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}\n\n';
    return { ...stream, frames: stream.frames.map((frame, i) => (i === at ? { ...frame, bytes: number } : frame)) };
  },
});
