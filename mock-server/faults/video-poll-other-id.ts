/** A poll that names another task. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-poll-other-id",
  about: "a poll answers with another id",
  breaks: ["video.poll.id.same"],
  route: "video.poll",
  transform: changed("id", (id) => `${String(id)}-other`),
});
