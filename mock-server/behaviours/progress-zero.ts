/** Progress that says nothing: the document gives no scale. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "progress-zero",
  about: "progress stays 0",
  route: "video.poll",
  transform: changed("progress", () => 0),
});
