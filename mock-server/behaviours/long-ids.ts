/** Task ids of some length: the document sets no limit. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "long-ids",
  about: "a task id has more than 200 characters",
  route: "video.submit",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, idPrefix: "t".repeat(200) } }),
});
