/** Progress that knows only whole tens and starts at 0. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "coarse-progress",
  about: "progress goes in steps of 10",
  route: "video.poll",
  transform: changed("progress", (progress) => Math.floor(Number(progress) / 10) * 10),
});
