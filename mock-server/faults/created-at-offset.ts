/** A timestamp of another zone. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "created-at-offset",
  about: "created_at has the offset +02:00",
  breaks: ["video.submit.created_at.utc"],
  route: "video.submit",
  transform: changed("created_at", (given) => String(given).replace("Z", "+02:00")),
});
