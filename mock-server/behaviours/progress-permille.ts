/** Progress in thousandths: the document gives no scale. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "progress-permille",
  about: "progress goes to 1000",
  route: "video.poll",
  transform: changed("progress", (progress) => Number(progress) * 10),
});
