/** A cancel of what has ended: the document does not show its status. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "cancel-ended-422",
  about: "a cancel of an ended task is 422",
  route: "video.cancel",
  rules: (rules) => ({ ...rules, cancelRefusedStatus: 422 }),
});
