/** Microseconds, as ISO 8601 allows. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "precise-timestamps",
  about: "created_at has six digits of a fraction",
  route: "video.submit",
  transform: changed("created_at", (given) => String(given).replace("Z", "417Z")),
});
