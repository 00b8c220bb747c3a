/** A service that streams unless told not to. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "stream-by-default",
  about: "a chat request that does not say so is streamed",
  breaks: ["chat.stream.default", "chat.minimal"],
  route: "chat",
  rules: (rules) => ({ ...rules, streaming: "by-default" }),
});
