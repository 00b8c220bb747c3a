/** A lower limit that excludes itself. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "temperature-zero-refused",
  about: "temperature 0 is refused",
  breaks: ["chat.temperature.0"],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.temperature", { min: 0.01 }),
});
