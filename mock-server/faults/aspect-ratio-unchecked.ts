/** A service that takes any aspect ratio. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "aspect-ratio-unchecked",
  about: "any aspect_ratio is accepted",
  breaks: [
    "video.submit.aspect_ratio.not-4:3",
    "video.submit.aspect_ratio.not-21:9",
    "video.submit.aspect_ratio.not-16x9",
  ],
  route: "video.submit",
  rules: changeField("videos.aspect_ratio", { values: undefined }),
});
