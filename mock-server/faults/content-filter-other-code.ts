/** A content review under another code. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "content-filter-other-code",
  about: 'error.code of a rejected prompt is "moderation"',
  breaks: ["video.poll.failed.content_filter"],
  route: "video.poll",
  transform: changed("error.code", () => "moderation"),
});
