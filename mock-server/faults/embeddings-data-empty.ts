/** An answer without its vectors. */

import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-data-empty",
  about: "data is empty",
  breaks: ["embeddings.response.data.count", "embeddings.response.data.count-many"],
  route: "embeddings",
  transform: changed("data", () => []),
});
