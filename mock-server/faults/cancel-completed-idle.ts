/** A cancel of a completed task that reports success and does nothing. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "cancel-completed-idle",
  about: "a cancel of a completed task is answered with 200 and completed",
  breaks: ["video.cancel.completed.refused"],
  route: "video.cancel",
  rules: (rules) => ({ ...rules, cancelIdle: ["completed"] }),
});
