/** A stream that ends without saying so. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-no-done",
  about: "a stream has no [DONE]",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: stream.frames.filter(({ kind }) => kind !== "done") }),
});
