/** No limit of the prompt at all. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "prompt-unlimited",
  about: "a prompt of any length is accepted",
  breaks: ["video.submit.prompt.over", "video.submit.prompt.far-over"],
  route: "video.submit",
  rules: changeField("videos.prompt", { maxCharacters: undefined }),
});
