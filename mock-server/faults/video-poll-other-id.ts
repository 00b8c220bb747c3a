/** A poll that names another task. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "video-poll-other-id",
  about: "a poll answers with another id",
  breaks: ["video.poll.id.same"],
  route: "video.poll",
  damage: changed("id", (id) => `${String(id)}-other`),
});
