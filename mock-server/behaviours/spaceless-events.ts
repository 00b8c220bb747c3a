/** The space after the colon is optional: the document does not show the format. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "spaceless-events",
  about: "events have no space after the colon",
  route: "chat.stream",
  transformStream: eachFrame((frame) => textOf(frame).replace("data: ", "data:")),
});
