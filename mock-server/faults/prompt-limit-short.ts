/** A limit that excludes itself. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "prompt-limit-short",
  about: "a prompt of exactly the limit is refused",
  breaks: ["video.submit.prompt.max-ascii", "video.submit.prompt.max-two-byte"],
  route: "video.submit",
  rules: (rules) => ({ ...rules, promptMax: rules.promptMax - 1 }),
});
