/** A cancel that names another task. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "video-cancel-other-id",
  about: "a cancel answers with another id",
  breaks: ["video.cancel.id.same"],
  route: "video.cancel",
  transform: changed("id", (id) => `${String(id)}-other`),
});
