/** No limits of temperature at all. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "temperature-unlimited",
  about: "any temperature is accepted",
  breaks: [
    "chat.temperature.above",
    "chat.temperature.far-above",
    "chat.temperature.below",
    "chat.temperature.far-below",
    "chat.stream.temperature.above",
  ],
  route: ["chat", "chat.stream"],
  rules: changeField("chat.temperature", { min: undefined, max: undefined }),
});
