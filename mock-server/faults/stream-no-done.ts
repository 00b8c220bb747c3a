/** A stream that ends without saying so. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-no-done",
  about: "a stream has no [DONE]",
  breaks: [],
  route: "chat.stream",
  stream: (script) => ({ ...script, frames: script.frames.filter(({ kind }) => kind !== "done") }),
});
