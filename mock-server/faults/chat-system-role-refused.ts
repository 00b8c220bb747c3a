/** A service that knows the role user only. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-system-role-refused",
  about: "the role system is refused",
  breaks: ["chat.roles"],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.messages[].role", { refusedValues: ["system"] }),
});
