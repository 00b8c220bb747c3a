/** Fields without the optional space. */

import { fault } from "../fault.ts";
import { eachFrame, textOf } from "../fault-kit.ts";

export default fault({
  name: "stream-no-space",
  about: 'there is no space after "data:"',
  breaks: [],
  route: "chat.stream",
  stream: eachFrame((frame) => textOf(frame).replace("data: ", "data:")),
});
