/** Tasks that share one id. */

import { fault } from "../fault.ts";

export default fault({
  name: "video-same-id",
  about: "every task has the same id",
  breaks: ["video.submit.id.unique"],
  route: "video.submit",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, sameId: true } }),
});
