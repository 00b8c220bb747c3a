/** Roles beyond those that the document uses are refused. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "few-roles",
  about: "the roles are system and user alone",
  route: ["chat", "chat.stream"],
  rules: (rules) => ({ ...rules, refusedRoles: ["assistant", "tool", "developer"] }),
});
