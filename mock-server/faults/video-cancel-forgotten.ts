/** A cancel that is acknowledged and forgotten. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-cancel-forgotten",
  about: "a cancel is answered as if it worked, and the task goes on",
  breaks: ["video.cancel.stays"],
  route: "video.cancel",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, cancelForgotten: true } }),
});
