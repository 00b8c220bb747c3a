/** Errors as RFC 9457 has them: the document shows no form. */

import { behaviour } from "../fault.ts";
import { insteadOfErrors } from "../fault-kit.ts";

export default behaviour({
  name: "problem-errors",
  about: "an error is application/problem+json",
  damage: insteadOfErrors("application/problem+json", (message, status) => ({
    type: "about:blank",
    title: message,
    status,
  })),
});
