/** A connection that ends in the middle of the stream. */

import { fault } from "../fault.ts";
import { firstHalf } from "../fault-kit.ts";

export default fault({
  name: "stream-truncated",
  about: "a stream is cut in the middle, before its framing ends",
  breaks: ["chat.stream.ends"],
  route: "chat.stream",
  stream: (script) => ({ ...script, frames: firstHalf(script), ending: "cut" }),
});
