/** A service that does not heed float. */

import { encode } from "../base/vectors.ts";
import { changed, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-float-base64",
  about: "vectors are base64 when encoding_format is float",
  breaks: ["embeddings.response.float"],
  route: "embeddings",
  transform: (response, request) =>
    requestMember(request, "encoding_format") === "float"
      ? changed("data[].embedding", (vector) =>
          Array.isArray(vector) ? encode(vector.map(Number), "base64") : vector,
        )(response)
      : response,
});
