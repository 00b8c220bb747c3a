/** The begin of a stream: the document does not show the format. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "no-role-event",
  about: "a stream begins with content",
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: stream.frames.filter(({ kind }) => kind !== "role") }),
});
