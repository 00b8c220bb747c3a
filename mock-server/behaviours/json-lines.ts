/** A stream as JSON lines: the document does not show the format. */

import { textOf } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "json-lines",
  about: "a stream is JSON lines under application/x-ndjson",
  route: "chat.stream",
  transformStream: (stream) => ({
    ...stream,
    headers: { "content-type": "application/x-ndjson" },
    frames: stream.frames
      .filter(({ kind }) => kind !== "done")
      .map((frame) => ({ ...frame, bytes: `${textOf(frame).slice("data: ".length).trimEnd()}\n` })),
  }),
});
