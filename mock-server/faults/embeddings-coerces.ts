/** A parser that reads wrong types as the right ones. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "embeddings-coerces",
  about: "wrong JSON types of an embeddings request are coerced",
  breaks: ["embeddings.type.model-number", "embeddings.type.input-number", "embeddings.type.input-numbers"],
  route: "embeddings",
  rules: (rules) => ({ ...rules, coerces: true }),
});
