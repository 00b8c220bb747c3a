/** Lines that end as those of Windows. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-crlf",
  about: "the lines of a stream end with CR LF",
  breaks: [],
  route: "chat.stream",
  transformStream: eachFrame((frame) => textOf(frame).replaceAll("\n", "\r\n")),
});
