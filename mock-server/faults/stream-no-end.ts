/** A stream that just stops. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-no-end",
  about: "a stream has neither a finish_reason nor [DONE]",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    frames: stream.frames.filter(({ kind }) => kind !== "done" && kind !== "finish"),
  }),
});
