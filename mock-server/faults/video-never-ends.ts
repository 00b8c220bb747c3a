/** Work that never ends. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-never-ends",
  about: "every task is processing for ever",
  breaks: ["video.poll.completed.reached"],
  route: ["video.poll", "video.cancel"],
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, neverEnds: true } }),
});
