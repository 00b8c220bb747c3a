/** A stream without a byte. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-empty",
  about: "a stream ends well and has no byte",
  breaks: ["chat.stream.streamed"],
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: [] }),
});
