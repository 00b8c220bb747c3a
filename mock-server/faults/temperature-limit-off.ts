/** An upper limit that is a little too high. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "temperature-limit-off",
  about: "temperature up to 2.1 is accepted",
  breaks: ["chat.temperature.above", "chat.stream.temperature.above"],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.temperature", { max: 2.1 }),
});
