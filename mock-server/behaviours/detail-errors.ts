/** Errors as a detail in words: the document shows no form. */

import { insteadOfErrors } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "detail-errors",
  about: "an error is {detail}",
  transform: insteadOfErrors("application/json", (message) => ({ detail: message })),
});
