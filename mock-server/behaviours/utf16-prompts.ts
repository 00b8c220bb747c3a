/** A service that counts a prompt as JavaScript does: letters outside the BMP are two. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "utf16-prompts",
  about: "the prompt is limited in UTF-16 units",
  rules: (rules) => ({ ...rules, promptUnit: "utf-16" }),
});
