/** A service that takes any resolution. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "resolution-unchecked",
  about: "any resolution is accepted",
  breaks: ["video.submit.resolution.not-480p", "video.submit.resolution.not-4k", "video.submit.resolution.not-1080P"],
  route: "video.submit",
  rules: changeField("videos.resolution", { values: undefined }),
});
