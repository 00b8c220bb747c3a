/** Work that earns money. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "total-cost-negative",
  about: "total_cost is negative",
  breaks: ["video.poll.completed.total_cost.sign"],
  route: "video.poll",
  transform: changed("usage.total_cost", (cost) => -1 * Math.max(1, Number(cost))),
});
