/** Task ids without a prefix: the document asks for strings. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "bare-ids",
  about: "a task id is a UUID alone",
  route: "video.submit",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, idPrefix: "" } }),
});
