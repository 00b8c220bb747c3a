/** A cancel that moves a completed task. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "cancel-completed-allowed",
  about: "a completed task can be cancelled",
  breaks: ["video.cancel.completed"],
  route: "video.cancel",
  rules: (rules) => ({ ...rules, cancellable: ["processing", "completed"] }),
});
