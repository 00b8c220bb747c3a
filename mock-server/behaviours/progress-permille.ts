/** Progress in thousandths: the document gives no scale. */

import { behaviour } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default behaviour({
  name: "progress-permille",
  about: "progress goes to 1000",
  route: "video.poll",
  damage: changed("progress", (progress) => Number(progress) * 10),
});
