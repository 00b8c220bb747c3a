/** A stream as plain text: the document does not show the format. */

import { textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "text-stream",
  about: "a stream is its text alone, under text/plain",
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    headers: { "content-type": "text/plain; charset=utf-8" },
    frames: stream.frames
      .filter(({ kind }) => kind === "content")
      .map((frame) => ({
        ...frame,
        bytes: /"content":("(?:[^"\\]|\\.)*")/.exec(textOf(frame))?.[1]?.slice(1, -1) ?? "",
      })),
  }),
});
