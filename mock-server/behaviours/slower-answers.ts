/** The document promises no time. */

import { behaviour } from "../variants/variant.ts";

const DELAY_MS = 20;

export default behaviour({
  name: "slower-answers",
  about: "every answer takes 20 ms more",
  damage: (answer) => ({ ...answer, atMs: answer.atMs + DELAY_MS }),
  stream: (script) => ({
    ...script,
    headersAtMs: script.headersAtMs + DELAY_MS,
    frames: script.frames.map((frame) => ({ ...frame, atMs: frame.atMs + DELAY_MS })),
  }),
});
