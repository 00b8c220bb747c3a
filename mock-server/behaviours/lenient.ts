/** The other choices that the document permits: milder where strict is strict. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "lenient",
  about: "422 for invalid requests, nulls and empty texts accepted, a second cancel is 200",
  rules: (rules) => ({
    ...rules,
    invalidStatus: 422,
    nullable: true,
    acceptsEmpty: true,
    cancelIdle: ["cancelled", "failed"],
    cancelRefusedStatus: 400,
  }),
});
