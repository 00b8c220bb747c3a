/** A content that is a number. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-wrong-type",
  about: "the content of the middle event is a number",
  breaks: [],
  route: "chat.stream",
  stream: (script) => {
    const at = firstHalf(script).length;
    const number = 'data: {"choices":[{"index":0,"delta":{"content":7},"finish_reason":null}]}\n\n';
    return { ...script, frames: script.frames.map((frame, i) => (i === at ? { ...frame, bytes: number } : frame)) };
  },
});
