/** A service that does not know max_tokens. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-max-tokens-refused",
  about: "max_tokens is refused",
  breaks: ["chat.max_tokens"],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.max_tokens", { refused: true }),
});
