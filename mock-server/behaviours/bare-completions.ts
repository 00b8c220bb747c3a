/** Members that the document does not name are left out. */

import { without } from "../variants/change-member.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "bare-completions",
  about: "a completion has no object and no created",
  route: "chat",
  damage: (answer) => ({ ...answer, body: without(without(answer.body, "object"), "created") }),
});
