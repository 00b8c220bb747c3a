/** Line ends of server-sent events: the document does not show the format. */

import { behaviour } from "../fault.ts";
import { eachFrame, textOf } from "../fault-kit.ts";

export default behaviour({
  name: "cr-events",
  about: "events end with CR",
  route: "chat.stream",
  stream: eachFrame((frame) => textOf(frame).replaceAll("\n", "\r")),
});
