/** Members of an error beyond message and code. */

import { isObject } from "../../lib/json.ts";
import { changed } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "numbered-failures",
  about: "the error of a failed task has a type, and a stage in numbers",
  route: "video.poll",
  transform: changed("error", (error) => (isObject(error) ? { ...error, type: "review", stage: 2 } : error)),
});
