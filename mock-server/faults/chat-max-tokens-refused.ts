/** A service that does not know max_tokens. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-max-tokens-refused",
  about: "max_tokens is refused",
  breaks: ["chat.max_tokens"],
  route: ["chat", "chat.stream"],
  rules: (rules) => ({ ...rules, refusedFields: ["chat.max_tokens"] }),
});
