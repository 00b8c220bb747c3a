/** Ids, names and retry times of server-sent events: the document does not show the format. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "numbered-events",
  about: "events have an id, the name message and a retry time",
  route: "chat.stream",
  transformStream: eachFrame(
    (frame) => `retry: 3000\nid: ${frame.kind}-${frame.atMs}\nevent: message\n${textOf(frame)}`,
  ),
});
