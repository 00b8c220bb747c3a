/** A normal end under another name. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "chat-finish-reason-unknown",
  about: 'finish_reason is "done" at a normal end',
  breaks: ["chat.response.finish_reason.stop"],
  route: "chat",
  transform: changed("choices[].finish_reason", () => "done"),
});
