/** A limit that excludes itself. */

import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "prompt-limit-short",
  about: "a prompt of exactly the limit is refused",
  breaks: ["video.submit.prompt.max-ascii", "video.submit.prompt.max-two-byte"],
  route: "video.submit",
  rules: changeField("videos.prompt", { maxCharacters: VIDEO_PROMPT_MAX - 1 }),
});
