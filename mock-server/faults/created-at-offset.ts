/** A timestamp of another zone. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "created-at-offset",
  about: "created_at has the offset +02:00",
  breaks: ["video.submit.created_at.utc"],
  route: "video.submit",
  damage: changed("created_at", (given) => String(given).replace("Z", "+02:00")),
});
