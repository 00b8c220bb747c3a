/** Lines that end with a carriage return alone. */

import { fault } from "../fault.ts";
import { eachFrame, textOf } from "../fault-kit.ts";

export default fault({
  name: "stream-cr",
  about: "the lines of a stream end with CR",
  breaks: [],
  route: "chat.stream",
  stream: eachFrame((frame) => textOf(frame).replaceAll("\n", "\r")),
});
