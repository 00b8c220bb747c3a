/** A null as good as absent: the document says nothing of nulls. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "nulls-accepted",
  about: "an optional member may be null",
  rules: (rules) => ({ ...rules, nullable: true }),
});
