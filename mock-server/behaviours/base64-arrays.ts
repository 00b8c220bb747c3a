/** Vectors that stay arrays whatever encoding was asked for. */

import type { Json } from "../../lib/json.ts";
import { changed, requestMember } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

const numbersOf = (vector: Json): Json => {
  const bytes = Buffer.from(String(vector), "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
};

export default behaviour({
  name: "base64-arrays",
  about: "with base64, embedding is an array of numbers all the same",
  route: "embeddings",
  transform: (response, request) =>
    requestMember(request, "encoding_format") === "base64"
      ? changed("data[].embedding", numbersOf)(response)
      : response,
});
