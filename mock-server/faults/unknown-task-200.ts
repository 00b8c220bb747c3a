/** A service that knows every task. */

import { answer } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

export default fault({
  name: "unknown-task-200",
  about: "a poll of an unknown task is answered with 200 and processing",
  breaks: ["video.unknown.not-2xx"],
  route: "video.poll",
  damage: (given) => (given.status === 404 ? answer(200, { id: "unknown", status: "processing", progress: 0 }) : given),
});
