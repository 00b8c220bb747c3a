/** A cancel that does not stop the work. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-cancelled-completes",
  about: "a cancelled task is completed once its work is done",
  breaks: ["video.cancel.stays"],
  route: ["video.poll", "video.cancel"],
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, cancelledCompletes: true } }),
});
