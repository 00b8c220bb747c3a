/** Errors with a number of their own: the document shows no form. */

import { behaviour } from "../fault.ts";
import { insteadOfErrors } from "../fault-kit.ts";

export default behaviour({
  name: "coded-errors",
  about: "an error is {code, msg} with a number as code",
  damage: insteadOfErrors("application/json", (message, status) => ({ code: status * 100 + 1, msg: message })),
});
