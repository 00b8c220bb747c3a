/** Models under their full names: the document does not ask for an echo. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "other-model-names",
  about: "the model of an answer is a longer name than that of the request",
  transform: changed("model", (model) => `vendor/${String(model)}-2026-01-31`),
});
