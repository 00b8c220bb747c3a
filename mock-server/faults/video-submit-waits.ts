/** A submission that is answered when the work is done. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-submit-waits",
  about: "a submission is answered only when its task has ended",
  breaks: ["video.submit.at-once"],
  route: "video.submit",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, submitWaits: true } }),
});
