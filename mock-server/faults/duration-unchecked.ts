/** A service that takes any duration. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "duration-unchecked",
  about: "any whole duration is accepted",
  breaks: [
    "video.submit.duration.not-4",
    "video.submit.duration.not-6",
    "video.submit.duration.not-7",
    "video.submit.duration.not-15",
    "video.submit.duration.not-0",
    "video.submit.duration.not--5",
  ],
  route: "video.submit",
  rules: changeField("videos.duration", { values: undefined }),
});
