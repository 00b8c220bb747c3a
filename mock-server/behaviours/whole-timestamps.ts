/** Whole seconds, as ISO 8601 allows. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "whole-timestamps",
  about: "created_at has no fraction",
  route: "video.submit",
  transform: changed("created_at", (given) => String(given).replace(/\.\d+Z$/, "Z")),
});
