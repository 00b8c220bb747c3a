/** An error as a named event. */

import { extra, firstHalf, lastMs } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-error-event",
  about: "the middle of a stream is an event named error, and the stream ends",
  breaks: [],
  route: "chat.stream",
  transformStream: (stream) => {
    const frames = firstHalf(stream);
    const error = extra(lastMs(frames), "event: error\ndata: the model stopped working\n\n");
    return { ...stream, frames: [...frames, error] };
  },
});
