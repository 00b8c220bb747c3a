/** The end of a stream: the document does not show the format. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "no-done",
  about: "a stream ends with its finish_reason, without [DONE]",
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, frames: stream.frames.filter(({ kind }) => kind !== "done") }),
});
