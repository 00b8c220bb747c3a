/** A parser that reads wrong types as the right ones. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-coerces",
  about: "wrong JSON types of a submission are coerced",
  breaks: [
    "video.submit.type.model-number",
    "video.submit.type.prompt-number",
    "video.submit.type.duration-string",
    "video.submit.type.duration-fraction",
  ],
  route: "video.submit",
  rules: (rules) => ({ ...rules, coerces: true }),
});
