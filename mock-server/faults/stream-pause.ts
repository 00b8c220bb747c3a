/** A stream that holds its breath. */

import { firstHalf } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

const PAUSE_MS = 2000;

export default fault({
  name: "stream-pause",
  about: "a stream pauses for two seconds in the middle and goes on",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const at = firstHalf(stream).length;
    return {
      ...stream,
      frames: stream.frames.map((frame, i) => (i < at ? frame : { ...frame, atMs: frame.atMs + PAUSE_MS })),
    };
  },
});
