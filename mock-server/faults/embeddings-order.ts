/** Vectors under the index of another input. */

import { isObject, type Json } from "../../lib/json.ts";
import { changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-order",
  about: "vectors are in reverse order, their indexes are not",
  breaks: ["embeddings.response.data.ordered"],
  route: "embeddings",
  transform: changed("data", (data) => {
    if (!Array.isArray(data)) return data;
    const vectors = data.map((item: Json) => (isObject(item) ? (item["embedding"] ?? null) : null)).reverse();
    return data.map((item: Json, i) => (isObject(item) ? { ...item, embedding: vectors[i] ?? null } : item));
  }),
});
