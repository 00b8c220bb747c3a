/** A video without a host. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-url-relative",
  about: "video_url is a path",
  breaks: ["video.poll.completed.video_url.address"],
  route: "video.poll",
  transform: changed("video_url", () => "/videos/one.mp4"),
});
