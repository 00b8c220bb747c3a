/** A byte order mark before the first event. */

import { textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-bom",
  about: "a stream begins with a byte order mark",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    frames: stream.frames.map((frame, i) => (i === 0 ? { ...frame, bytes: `\uFEFF${textOf(frame)}` } : frame)),
  }),
});
