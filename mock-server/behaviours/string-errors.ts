/** Errors as a text in a member: the document shows no form. */

import { behaviour } from "../fault.ts";
import { insteadOfErrors } from "../fault-kit.ts";

export default behaviour({
  name: "string-errors",
  about: "an error is {error} with a text",
  damage: insteadOfErrors("application/json", (message) => ({ error: message })),
});
