/** Members of a task beyond those of its state. */

import { isObject } from "../../lib/json.ts";
import { served } from "../variants/transforms.ts";
import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "task-members",
  about: "a poll and a cancel tell model and created_at too",
  route: ["video.poll", "video.cancel"],
  transform: (response) =>
    isObject(response.body) && served(response)
      ? { ...response, body: { ...response.body, model: "m", created_at: "2026-01-31T12:00:00Z" } }
      : response,
});
