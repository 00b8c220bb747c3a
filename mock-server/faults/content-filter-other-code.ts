/** A content review under another code. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "content-filter-other-code",
  about: 'error.code of a rejected prompt is "moderation"',
  breaks: ["video.poll.failed.content_filter"],
  route: "video.poll",
  damage: changed("error.code", () => "moderation"),
});
