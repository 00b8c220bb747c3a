/** A base64 vector that is cut. */

import { changed, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-base64-garbled",
  about: "with base64, a vector does not decode to whole numbers",
  breaks: ["embeddings.response.base64.decodes"],
  route: "embeddings",
  transform: (response, request) =>
    requestMember(request, "encoding_format") === "base64"
      ? changed("data[].embedding", (vector) => (typeof vector === "string" ? `${vector.slice(0, 10)}*` : vector))(
          response,
        )
      : response,
});
