/** Errors without a body: the document shows no form. */

import { served } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "empty-errors",
  about: "an error has no body",
  transform: (response) =>
    served(response)
      ? response
      : { ...response, headers: { ...response.headers, "content-type": "text/plain" }, body: "" },
});
