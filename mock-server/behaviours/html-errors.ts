/** Errors as a gateway words them: the document shows no form. */

import { insteadOfErrors } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "html-errors",
  about: "an error is a page of HTML",
  transform: insteadOfErrors("text/html", (message, status) => `<!doctype html><title>${status}</title><p>${message}`),
});
