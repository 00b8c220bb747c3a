/** Another status for an invalid request: the document shows none. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "invalid-422",
  about: "an invalid request is 422",
  rules: (rules) => ({ ...rules, invalidStatus: 422 }),
});
