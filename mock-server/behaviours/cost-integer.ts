/** Costs in whole units: the document gives none. */

import { behaviour } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default behaviour({
  name: "cost-integer",
  about: "total_cost is a whole number",
  route: "video.poll",
  damage: changed("usage.total_cost", (cost) => Math.round(Number(cost) * 10_000)),
});
