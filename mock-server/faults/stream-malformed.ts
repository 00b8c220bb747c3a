/** An event that is no JSON. */

import { fault } from "../fault.ts";
import { firstHalf } from "../fault-kit.ts";

export default fault({
  name: "stream-malformed",
  about: "the middle event of a stream is cut JSON",
  breaks: [],
  route: "chat.stream",
  stream: (script) => {
    const at = firstHalf(script).length;
    const cut = 'data: {"choices":[{"index":0,"delta":{"con\n\n';
    return { ...script, frames: script.frames.map((frame, i) => (i === at ? { ...frame, bytes: cut } : frame)) };
  },
});
