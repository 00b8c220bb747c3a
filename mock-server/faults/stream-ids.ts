/** Events with id and event lines. */

import { eachFrame, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-ids",
  about: "every event has an id line and the name message",
  breaks: [],
  route: "chat.stream",
  transformStream: eachFrame((frame) => `id: 1\nevent: message\nretry: 1000\n${textOf(frame)}`),
});
