/** A service that takes stream only as true. */

import { refuseWhen, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-stream-false-refused",
  about: "stream false is refused",
  breaks: ["chat.stream.off"],
  route: "chat",
  ...refuseWhen((request) => requestMember(request, "stream") === false, "stream must be true"),
});
