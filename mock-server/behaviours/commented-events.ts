/** Comments between server-sent events: the document does not show the format. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "commented-events",
  about: "a comment comes before every event",
  route: "chat.stream",
  transformStream: eachFrame((frame) => `: still here\n\n${textOf(frame)}`),
});
