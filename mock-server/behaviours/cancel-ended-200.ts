/** A cancel of what has failed or was cancelled: the document does not show it. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "cancel-ended-200",
  about: "a cancel of a failed or cancelled task is 200 with its state",
  route: "video.cancel",
  rules: (rules) => ({ ...rules, cancelIdle: ["failed", "cancelled"] }),
});
