/** A base64 vector inside an object. */

import { asked, changed } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-base64-object",
  about: "with base64, embedding is an object",
  breaks: ["embeddings.response.base64"],
  route: "embeddings",
  damage: (answer, seen) =>
    asked(seen, "encoding_format") === "base64"
      ? changed("data[].embedding", (vector) => ({ base64: vector }))(answer)
      : answer,
});
