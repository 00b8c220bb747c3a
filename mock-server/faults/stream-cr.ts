/** Lines that end with a carriage return alone. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-cr",
  about: "the lines of a stream end with CR",
  breaks: [],
  route: "chat.stream",
  transformStream: eachFrame((frame) => textOf(frame).replaceAll("\n", "\r")),
});
