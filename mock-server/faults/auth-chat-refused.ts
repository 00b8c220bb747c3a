/** A key that is good elsewhere and not for chat. */

import { refusal } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

const unauthorized = refusal({ status: 401, message: "wrong API key", code: "invalid_api_key", param: null });

export default fault({
  name: "auth-chat-refused",
  about: "chat refuses every key",
  breaks: ["auth.key.chat"],
  route: ["chat", "chat.stream"],
  damage: () => unauthorized,
  stream: () => unauthorized,
});
