/** A service that takes any encoding_format as float. */

import { changeField } from "../base/rules.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "encoding-format-unchecked",
  about: "any encoding_format is accepted",
  breaks: [
    "embeddings.encoding_format.not-int8",
    "embeddings.encoding_format.not-hex",
    "embeddings.encoding_format.not-FLOAT",
  ],
  route: "embeddings",
  rules: changeField("embeddings.encoding_format", { values: undefined }),
});
