/** Vectors of another length: the document names no dimension. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "small-vectors",
  about: "a vector of numbers has 8 of them",
  route: "embeddings",
  transform: changed("data[].embedding", (vector) => (Array.isArray(vector) ? vector.slice(0, 8) : vector)),
});
