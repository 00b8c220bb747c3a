/** A service without streaming. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-stream-refused",
  about: "stream true is refused",
  breaks: ["chat.stream.accepted"],
  route: "chat.stream",
  rules: changeField("chat.stream", { refused: true }),
});
