/** A cut is a normal end too: the document names stop alone. */

import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "always-stop",
  about: "finish_reason is stop also where max_tokens cut",
  route: "chat",
  transform: changed("choices[].finish_reason", () => "stop"),
});
