/** A service that knows every task. */

import { jsonResponse } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "unknown-task-200",
  about: "a poll of an unknown task is answered with 200 and processing",
  breaks: ["video.unknown.not-2xx"],
  route: "video.poll",
  transform: (given) =>
    given.status === 404 ? jsonResponse(200, { id: "unknown", status: "processing", progress: 0 }) : given,
});
