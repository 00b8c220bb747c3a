/** An upper limit that excludes itself. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "temperature-max-refused",
  about: "temperature 2 is refused",
  breaks: ["chat.temperature.2", "chat.stream.temperature.max"],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.temperature", { max: 1.99 }),
});
