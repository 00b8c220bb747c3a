/** An end that is none. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-completed-reverts",
  about: "a completed task is processing again at every second poll",
  breaks: ["video.poll.completed.stays"],
  route: ["video.poll", "video.cancel"],
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, completedReverts: true } }),
});
