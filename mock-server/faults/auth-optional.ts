/** A service that forgot to ask for the key. */

import { fault } from "../variants/variant.ts";

export default fault({
  name: "auth-optional",
  about: "a request without a key is served",
  breaks: [
    "auth.missing.chat",
    "auth.missing.embeddings",
    "auth.missing.video",
    "auth.wrong.chat",
    "auth.wrong.embeddings",
    "auth.wrong.video",
  ],
  rules: (rules) => ({ ...rules, keyNeeded: false }),
});
