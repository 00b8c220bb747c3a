/** Comments between events, as proxies send them to keep a connection. */

import { fault } from "../fault.ts";
import { eachFrame, textOf } from "../fault-kit.ts";

export default fault({
  name: "stream-comments",
  about: "every event of a stream has a comment before it",
  breaks: [],
  route: "chat.stream",
  stream: eachFrame((frame) => `: keep-alive\n\n${textOf(frame)}`),
});
