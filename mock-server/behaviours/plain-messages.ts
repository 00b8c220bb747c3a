/** Messages of role and content alone: the document shows no other member of a message. */

import { isObject } from "../../lib/json.ts";
import { refuseWhen, requestMember } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

const SHOWN = ["role", "content"];

export default behaviour({
  name: "plain-messages",
  about: "a message with more than role and content is refused",
  route: ["chat", "chat.stream"],
  ...refuseWhen((request) => {
    const messages = requestMember(request, "messages");
    if (!Array.isArray(messages)) return false;
    return messages.some((message) => isObject(message) && Object.keys(message).some((name) => !SHOWN.includes(name)));
  }, "a message has role and content only"),
});
