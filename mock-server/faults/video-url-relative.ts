/** A video without a host. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "video-url-relative",
  about: "video_url is a path",
  breaks: ["video.poll.completed.video_url.address"],
  route: "video.poll",
  damage: changed("video_url", () => "/videos/one.mp4"),
});
