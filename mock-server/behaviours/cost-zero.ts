/** Videos for nothing: a number all the same. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "cost-zero",
  about: "total_cost is 0",
  route: "video.poll",
  transform: changed("usage.total_cost", () => 0),
});
