/** Task ids that a path can only carry encoded: the document asks for strings. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "encoded-ids",
  about: "a task id has a slash, a space and letters outside ASCII",
  route: "video.submit",
  rules: (rules) => ({ ...rules, tasks: { ...rules.tasks, idPrefix: "jobs/é 1+&?#%41:" } }),
});
