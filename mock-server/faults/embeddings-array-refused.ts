/** A service that embeds one text a request. */

import { refuseWhen, requestMember } from "../variants/transforms.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-array-refused",
  about: "an array as input is refused",
  breaks: ["embeddings.input.array", "embeddings.input.array-of-one"],
  route: "embeddings",
  ...refuseWhen((request) => Array.isArray(requestMember(request, "input")), "input must be a string"),
});
