/** A video before it is made. */

import { isObject } from "../../lib/json.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-url-while-processing",
  about: "a task that is processing has a video_url",
  breaks: ["video.poll.contradiction"],
  route: "video.poll",
  transform: (response) =>
    isObject(response.body) && response.body["status"] === "processing"
      ? { ...response, body: { ...response.body, video_url: "https://example.invalid/early.mp4" } }
      : response,
});
