/** A service that wants a key and takes any. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "auth-unchecked",
  about: "any key is accepted, also where only some are",
  breaks: ["auth.wrong.chat", "auth.wrong.embeddings", "auth.wrong.video"],
  rules: (rules) => ({ ...rules, keyChecked: false }),
});
