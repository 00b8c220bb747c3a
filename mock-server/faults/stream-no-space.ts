/** Fields without the optional space. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-no-space",
  about: 'there is no space after "data:"',
  breaks: [],
  route: "chat.stream",
  transformStream: eachFrame((frame) => textOf(frame).replace("data: ", "data:")),
});
