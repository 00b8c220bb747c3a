/** A connection that ends in the middle of the stream. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-truncated",
  about: "a stream is cut in the middle, before its framing ends",
  breaks: ["chat.stream.ends"],
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: firstHalf(stream), ending: "cut" }),
});
