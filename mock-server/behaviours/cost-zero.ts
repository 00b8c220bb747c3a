/** Videos for nothing: a number all the same. */

import { behaviour } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default behaviour({
  name: "cost-zero",
  about: "total_cost is 0",
  route: "video.poll",
  damage: changed("usage.total_cost", () => 0),
});
