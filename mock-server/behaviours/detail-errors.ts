/** Errors as a detail in words: the document shows no form. */

import { behaviour } from "../fault.ts";
import { insteadOfErrors } from "../fault-kit.ts";

export default behaviour({
  name: "detail-errors",
  about: "an error is {detail}",
  damage: insteadOfErrors("application/json", (message) => ({ detail: message })),
});
