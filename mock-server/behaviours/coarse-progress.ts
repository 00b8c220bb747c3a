/** Progress that knows only whole tens and starts at 0. */

import { behaviour } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default behaviour({
  name: "coarse-progress",
  about: "progress goes in steps of 10",
  route: "video.poll",
  damage: changed("progress", (progress) => Math.floor(Number(progress) / 10) * 10),
});
