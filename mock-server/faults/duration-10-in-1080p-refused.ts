/** Two allowed values that are refused together. */

import { refuseWhen, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "duration-10-in-1080p-refused",
  about: "10 seconds in 1080p are refused",
  breaks: ["video.submit.combination"],
  route: "video.submit",
  ...refuseWhen(
    (request) => requestMember(request, "duration") === 10 && requestMember(request, "resolution") === "1080p",
    "10 seconds are made in 720p only",
  ),
});
