/** A key that is good elsewhere and not for chat. */

import { errorResponse } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

const unauthorized = errorResponse({ status: 401, message: "wrong API key", code: "invalid_api_key", param: null });

export default fault({
  name: "auth-chat-refused",
  about: "chat refuses every key",
  breaks: ["auth.key.chat"],
  route: ["chat", "chat.stream"],
  transform: () => unauthorized,
  transformStream: () => unauthorized,
});
