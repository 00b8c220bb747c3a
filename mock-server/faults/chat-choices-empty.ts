/** A completion without a choice. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-choices-empty",
  about: "choices is empty",
  breaks: ["chat.response.choices.some"],
  route: "chat",
  transform: changed("choices", () => []),
});
