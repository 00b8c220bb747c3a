/** Costs in whole units: the document gives none. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "cost-integer",
  about: "total_cost is a whole number",
  route: "video.poll",
  transform: changed("usage.total_cost", (cost) => Math.round(Number(cost) * 10_000)),
});
