/** A service that knows the role user only. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-system-role-refused",
  about: "the role system is refused",
  breaks: ["chat.roles"],
  route: ["chat", "chat.stream"],
  rules: (rules) => ({ ...rules, refusedRoles: ["system"] }),
});
