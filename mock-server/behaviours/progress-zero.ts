/** Progress that says nothing: the document gives no scale. */

import { behaviour } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default behaviour({
  name: "progress-zero",
  about: "progress stays 0",
  route: "video.poll",
  damage: changed("progress", () => 0),
});
