/** A limit in bytes where the document says characters. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "prompt-counts-bytes",
  about: "the prompt is limited in bytes",
  breaks: ["video.submit.prompt.max-two-byte"],
  route: "video.submit",
  rules: (rules) => ({ ...rules, promptUnit: "bytes" }),
});
