/** Tasks that share one id: a later one is seen in the place of those before it. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-same-id",
  about: "every task has the same id",
  // The last three by the order of the submissions: a task that has ended is then seen as the next one.
  breaks: ["video.submit.id.unique", "video.cancel.stays", "video.poll.completed.stays", "video.poll.failed.stays"],
  route: "video.submit",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, sameId: true } }),
});
