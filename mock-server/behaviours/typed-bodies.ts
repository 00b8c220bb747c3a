/** A body that does not say what it is: the document leaves it open. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "typed-bodies",
  about: "a body without Content-Type is 415",
  rules: (rules) => ({ ...rules, mediaTypeNeeded: true }),
});
