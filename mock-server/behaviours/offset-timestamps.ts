/** A zero offset in place of Z, and no fraction. */

import { behaviour } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default behaviour({
  name: "offset-timestamps",
  about: "created_at ends with +00:00 and has no fraction",
  route: "video.submit",
  damage: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "+00:00")),
});
