/** Vectors under the index of another input. */

import { isObject, type Json } from "../../lib/json.ts";
import { fault } from "../fault.ts";
import { changed } from "../fault-kit.ts";

export default fault({
  name: "embeddings-order",
  about: "vectors are in reverse order, their indexes are not",
  breaks: ["embeddings.response.data.ordered"],
  route: "embeddings",
  damage: changed("data", (data) => {
    if (!Array.isArray(data)) return data;
    const vectors = data.map((item: Json) => (isObject(item) ? (item["embedding"] ?? null) : null)).reverse();
    return data.map((item: Json, i) => (isObject(item) ? { ...item, embedding: vectors[i] ?? null } : item));
  }),
});
