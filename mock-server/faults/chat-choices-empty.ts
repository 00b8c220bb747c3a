/** A completion without a choice. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "chat-choices-empty",
  about: "choices is empty",
  breaks: ["chat.response.choices.some"],
  route: "chat",
  damage: changed("choices", () => []),
});
