/** Errors as a text in a member: the document shows no form. */

import { insteadOfErrors } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "string-errors",
  about: "an error is {error} with a text",
  transform: insteadOfErrors("application/json", (message) => ({ error: message })),
});
