/** Heartbeats without end. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-heartbeats",
  about: "after half of its tokens a stream sends white space for ever",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: firstHalf(stream), ending: "endless" }),
});
