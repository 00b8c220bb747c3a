/** Vectors of unequal length in one answer. */

import type { Json } from "../../lib/json.ts";
import { changeAt } from "../variants/change-member.ts";
import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-dimensions",
  about: "the second vector is shorter by one",
  breaks: ["embeddings.response.data.dimensions"],
  route: "embeddings",
  transform: changed("data", (data) =>
    Array.isArray(data)
      ? data.map((item: Json, i) =>
          i === 1 ? changeAt(item, "embedding", (vector) => (Array.isArray(vector) ? vector.slice(1) : vector)) : item,
        )
      : data,
  ),
});
