/** A failed task as a server error. */

import { member } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-failed-500",
  about: "a poll of a failed task is answered with 500",
  breaks: ["video.poll.failed.http-status"],
  route: "video.poll",
  transform: (response) => (member(response, "status") === "failed" ? { ...response, status: 500 } : response),
});
