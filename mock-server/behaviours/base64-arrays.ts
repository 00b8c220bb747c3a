/** Vectors that stay arrays whatever encoding was asked for. */

import type { Json } from "../../lib/json.ts";
import { asked, changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

const numbersOf = (vector: Json): Json => {
  const bytes = Buffer.from(String(vector), "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
};

export default behaviour({
  name: "base64-arrays",
  about: "with base64, embedding is an array of numbers all the same",
  route: "embeddings",
  damage: (answer, seen) =>
    asked(seen, "encoding_format") === "base64" ? changed("data[].embedding", numbersOf)(answer) : answer,
});
