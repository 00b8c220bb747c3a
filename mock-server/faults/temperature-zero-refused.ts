/** A lower limit that excludes itself. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "temperature-zero-refused",
  about: "temperature 0 is refused",
  breaks: ["chat.temperature.0"],
  route: ["chat", "chat.stream"],
  rules: (rules) => ({ ...rules, temperature: { ...rules.temperature, min: 0.01 } }),
});
