/** A video before it is made. */

import { isObject } from "../../lib/json.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-url-while-processing",
  about: "a task that is processing has a video_url",
  breaks: ["video.poll.contradiction"],
  route: "video.poll",
  damage: (answer) =>
    isObject(answer.body) && answer.body["status"] === "processing"
      ? { ...answer, body: { ...answer.body, video_url: "https://example.invalid/early.mp4" } }
      : answer,
});
