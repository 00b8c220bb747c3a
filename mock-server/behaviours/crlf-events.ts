/** Line ends of server-sent events: the document does not show the format. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "crlf-events",
  about: "events end with CR LF",
  route: "chat.stream",
  transformStream: eachFrame((frame) => textOf(frame).replaceAll("\n", "\r\n")),
});
