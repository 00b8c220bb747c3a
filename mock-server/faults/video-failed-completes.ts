/** A failure that turns into success. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-failed-completes",
  about: "a failed task is completed from its second poll on",
  breaks: ["video.poll.failed.stays"],
  route: ["video.poll", "video.cancel"],
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, failedCompletes: true } }),
});
