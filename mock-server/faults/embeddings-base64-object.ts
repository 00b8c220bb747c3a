/** A base64 vector inside an object. */

import { changed, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-base64-object",
  about: "with base64, embedding is an object",
  breaks: ["embeddings.response.base64"],
  route: "embeddings",
  transform: (response, request) =>
    requestMember(request, "encoding_format") === "base64"
      ? changed("data[].embedding", (vector) => ({ base64: vector }))(response)
      : response,
});
