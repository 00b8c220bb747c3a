/** Work that never succeeds. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-always-fails",
  about: "every task fails",
  breaks: ["video.poll.completed.reached"],
  route: ["video.poll", "video.cancel"],
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, alwaysFails: true } }),
});
