/** A timestamp that leaves its zone open. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "created-at-no-zone",
  about: "created_at names no zone",
  breaks: ["video.submit.created_at.zone"],
  route: "video.submit",
  transform: changed("created_at", (given) => String(given).replace("Z", "")),
});
