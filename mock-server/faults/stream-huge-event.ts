/** An event of a megabyte. */

import { firstHalf, textOf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

const MEGABYTE = 1024 * 1024;

export default fault({
  name: "stream-huge-event",
  about: "the middle event of a stream has a megabyte of content",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const at = firstHalf(stream).length;
    return {
      ...stream,
      frames: stream.frames.map((frame, i) =>
        i === at
          ? { ...frame, bytes: textOf(frame).replace('"content":"', `"content":"${"x".repeat(MEGABYTE)}`) }
          : frame,
      ),
    };
  },
});
