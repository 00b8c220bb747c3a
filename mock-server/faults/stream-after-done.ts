/** Events after the end. */

import { extra, lastMs, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-after-done",
  about: "an event with content follows [DONE]",
  breaks: [],
  route: "chat.stream",
  stream: (script) => {
    const last = script.frames.findLast(({ kind }) => kind === "content");
    if (last === undefined) return script;
    return { ...script, frames: [...script.frames, extra(lastMs(script.frames), textOf(last))] };
  },
});
