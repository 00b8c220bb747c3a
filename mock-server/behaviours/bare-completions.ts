/** Members that the document does not name are left out. */

import { without } from "../variants/change-member.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "bare-completions",
  about: "a completion has no object and no created",
  route: "chat",
  transform: (response) => ({ ...response, body: without(without(response.body, "object"), "created") }),
});
