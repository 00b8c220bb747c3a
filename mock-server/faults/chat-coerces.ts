/** A parser that reads wrong types as the right ones. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-coerces",
  about: "wrong JSON types of a chat request are coerced",
  breaks: [
    "chat.type.model-number",
    "chat.type.role-number",
    "chat.type.content-number",
    "chat.type.stream-string",
    "chat.type.temperature-string",
    "chat.type.max_tokens-string",
    "chat.type.max_tokens-fraction",
  ],
  route: ["chat", "chat.stream"],
  rules: (rules) => ({ ...rules, coerces: true }),
});
