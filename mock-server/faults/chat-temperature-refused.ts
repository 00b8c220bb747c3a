/** A service that does not know temperature. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-temperature-refused",
  about: "every temperature is refused",
  breaks: [
    "chat.temperature.0.5",
    "chat.temperature.1",
    "chat.temperature.0",
    "chat.temperature.2",
    "chat.stream.temperature.max",
  ],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.temperature", { refused: true }),
});
