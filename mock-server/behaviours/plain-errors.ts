/** Errors in words: the document shows no form. */

import { served } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "plain-errors",
  about: "an error is a line of plain text",
  transform: (response) =>
    served(response)
      ? response
      : { ...response, headers: { ...response.headers, "content-type": "text/plain" }, body: "request refused\n" },
});
