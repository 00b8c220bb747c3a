/** Errors with a number of their own: the document shows no form. */

import { insteadOfErrors } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "coded-errors",
  about: "an error is {code, msg} with a number as code",
  transform: insteadOfErrors("application/json", (message, status) => ({ code: status * 100 + 1, msg: message })),
});
