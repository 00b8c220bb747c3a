/** A limit that is one too high. */

import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "prompt-limit-off-by-one",
  about: "a prompt of one character too many is accepted",
  breaks: ["video.submit.prompt.over"],
  route: "video.submit",
  rules: changeField("videos.prompt", { maxCharacters: VIDEO_PROMPT_MAX + 1 }),
});
