/** Lines that end as those of Windows. */

import { fault } from "../fault.ts";
import { eachFrame, textOf } from "../fault-kit.ts";

export default fault({
  name: "stream-crlf",
  about: "the lines of a stream end with CR LF",
  breaks: [],
  route: "chat.stream",
  stream: eachFrame((frame) => textOf(frame).replaceAll("\n", "\r\n")),
});
