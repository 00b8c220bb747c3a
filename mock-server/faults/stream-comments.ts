/** Comments between events, as proxies send them to keep a connection. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-comments",
  about: "every event of a stream has a comment before it",
  breaks: [],
  route: "chat.stream",
  transformStream: eachFrame((frame) => `: keep-alive\n\n${textOf(frame)}`),
});
