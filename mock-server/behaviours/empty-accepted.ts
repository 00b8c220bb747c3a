/** Nothing to say is a request too: the document asks for no length. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "empty-accepted",
  about: "empty messages, inputs and prompts are accepted",
  rules: (rules) => ({ ...rules, acceptsEmpty: true }),
});
