/** A zero offset in place of Z, and no fraction. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "offset-timestamps",
  about: "created_at ends with +00:00 and has no fraction",
  route: "video.submit",
  transform: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "+00:00")),
});
