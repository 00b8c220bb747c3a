/** An id that is unknown: the document does not show its status. */

import { behaviour } from "../variants/variant.ts";

export default behaviour({
  name: "unknown-task-400",
  about: "an unknown task is 400",
  route: ["video.poll", "video.cancel"],
  transform: (response) => (response.status === 404 ? { ...response, status: 400 } : response),
});
