/** Headers that wait for the first token. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-slow-headers",
  about: "headers come with the first token and not at once",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const first = stream.frames.find(({ kind }) => kind === "content")?.atMs ?? 0;
    return { ...stream, headersAtMs: Math.max(first, 200) };
  },
});
