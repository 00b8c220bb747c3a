/** A limit that is one too high. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "prompt-limit-off-by-one",
  about: "a prompt of one character too many is accepted",
  breaks: ["video.submit.prompt.over"],
  route: "video.submit",
  rules: (rules) => ({ ...rules, promptMax: rules.promptMax + 1 }),
});
