/** Members of other states as null, which is as good as absent. */

import { isObject } from "../../lib/json.ts";
import { served } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "null-members",
  about: "a poll has every member of a task, null where it does not apply",
  route: "video.poll",
  transform: (response) =>
    isObject(response.body) && served(response)
      ? { ...response, body: { progress: null, video_url: null, usage: null, error: null, ...response.body } }
      : response,
});
