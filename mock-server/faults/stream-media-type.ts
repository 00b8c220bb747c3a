/** A stream that says it is text. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-media-type",
  about: "a stream of events has the type text/plain",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => ({ ...stream, headers: { ...stream.headers, "content-type": "text/plain" } }),
});
