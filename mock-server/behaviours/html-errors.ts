/** Errors as a gateway words them: the document shows no form. */

import { behaviour } from "../fault.ts";
import { insteadOfErrors } from "../fault-kit.ts";

export default behaviour({
  name: "html-errors",
  about: "an error is a page of HTML",
  damage: insteadOfErrors("text/html", (message, status) => `<!doctype html><title>${status}</title><p>${message}`),
});
