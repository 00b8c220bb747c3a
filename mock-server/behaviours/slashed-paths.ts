/** A slash at the end of a path makes no difference. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "slashed-paths",
  about: "a path may end with a slash",
  path: (path) => path.replace(/(?<=.)\/$/, ""),
});
