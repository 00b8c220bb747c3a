/** Errors as RFC 9457 has them: the document shows no form. */

import { insteadOfErrors } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "problem-errors",
  about: "an error is application/problem+json",
  transform: insteadOfErrors("application/problem+json", (message, status) => ({
    type: "about:blank",
    title: message,
    status,
  })),
});
