/** Events that arrive byte by byte. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-split-bytes",
  about: "every byte of a stream is an HTTP chunk of its own",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    frames: stream.frames.flatMap((frame) => {
      const bytes = Buffer.from(frame.bytes);
      return Array.from(bytes, (_, i) => ({
        ...frame,
        kind: i === bytes.length - 1 ? frame.kind : "other",
        bytes: bytes.subarray(i, i + 1),
      }));
    }),
  }),
});
