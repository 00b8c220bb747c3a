/** A service that embeds the first input only. */

import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "embeddings-one-item",
  about: "data holds the first item only",
  breaks: ["embeddings.response.data.count-many"],
  route: "embeddings",
  damage: changed("data", (data) => (Array.isArray(data) ? data.slice(0, 1) : data)),
});
