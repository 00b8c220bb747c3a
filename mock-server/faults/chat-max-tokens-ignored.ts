/** A model that does not stop at the limit of tokens. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-max-tokens-ignored",
  about: "max_tokens is ignored",
  breaks: ["chat.max_tokens.kept"],
  route: ["chat", "chat.stream"],
  rules: (rules) => ({ ...rules, ignoresMaxTokens: true }),
});
