/** Roles beyond those that the document uses are refused. */

import { changeField } from "../base/rules.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "few-roles",
  about: "the roles are system and user alone",
  route: ["chat", "chat.stream"],
  rules: changeField("chat.messages[].role", { refusedValues: ["assistant", "tool", "developer"] }),
});
