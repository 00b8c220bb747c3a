/** A service with another default encoding. */

import { encode } from "../base/vectors.ts";
import { changed, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-default-base64",
  about: "vectors are base64 when encoding_format is left out",
  breaks: ["embeddings.response.default", "embeddings.response.data.embedding"],
  route: "embeddings",
  transform: (response, request) =>
    requestMember(request, "encoding_format") === undefined
      ? changed("data[].embedding", (vector) =>
          Array.isArray(vector) ? encode(vector.map(Number), "base64") : vector,
        )(response)
      : response,
});
