/** A service that embeds the first input only. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-one-item",
  about: "data holds the first item only",
  breaks: ["embeddings.response.data.count-many"],
  route: "embeddings",
  transform: changed("data", (data) => (Array.isArray(data) ? data.slice(0, 1) : data)),
});
