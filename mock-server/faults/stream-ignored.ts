/** A service that does not stream. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-ignored",
  about: "stream true is answered with one plain completion",
  breaks: ["chat.stream.streamed"],
  route: "chat.stream",
  rules: (rules) => ({ ...rules, streaming: "never" }),
});
