/** The document promises no time. */

import { behaviour } from "../variants/variant.ts";

const DELAY_MS = 20;

export default behaviour({
  name: "slower-answers",
  about: "every answer takes 20 ms more",
  transform: (response) => ({ ...response, atMs: response.atMs + DELAY_MS }),
  transformStream: (stream) => ({
    ...stream,
    headersAtMs: stream.headersAtMs + DELAY_MS,
    frames: stream.frames.map((frame) => ({ ...frame, atMs: frame.atMs + DELAY_MS })),
  }),
});
