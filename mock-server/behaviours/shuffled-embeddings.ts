/** Items in another order than their inputs; their indexes tell. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "shuffled-embeddings",
  about: "items of data come in reverse order",
  route: "embeddings",
  transform: changed("data", (data) => (Array.isArray(data) ? data.toReversed() : data)),
});
