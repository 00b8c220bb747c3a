/** Errors without a body: the document shows no form. */

import { served } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "empty-errors",
  about: "an error has no body",
  damage: (answer) =>
    served(answer) ? answer : { ...answer, headers: { ...answer.headers, "content-type": "text/plain" }, body: "" },
});
