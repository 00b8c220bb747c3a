/** Events that share a write. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-coalesced",
  about: "two events are written at once, when the second is due",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    frames: stream.frames.map((frame, i, all) =>
      frame.kind === "content" && i % 2 === 1 && all[i + 1]?.kind === "content"
        ? { ...frame, atMs: all[i + 1]?.atMs ?? frame.atMs }
        : frame,
    ),
  }),
});
