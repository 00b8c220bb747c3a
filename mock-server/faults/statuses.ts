/** A family: each success answered with another success status. */

import { fault, whenAccepted } from "../variants/variant.ts";

const OTHERS = [
  { name: "chat-201", route: "chat", status: 201, breaks: ["chat.status"] },
  { name: "embeddings-201", route: "embeddings", status: 201, breaks: ["embeddings.status"] },
  { name: "video-submit-200", route: "video.submit", status: 200, breaks: ["video.submit.status"] },
  {
    name: "video-poll-201",
    route: "video.poll",
    status: 201,
    breaks: ["video.poll.http-status", "video.poll.cancelled.http-status", "video.poll.failed.http-status"],
  },
  { name: "video-cancel-202", route: "video.cancel", status: 202, breaks: ["video.cancel.status"] },
] as const;

export default OTHERS.map(({ name, route, status, breaks }) =>
  fault({
    name,
    about: `a success of ${route} is answered with ${status}`,
    breaks,
    route,
    transform: whenAccepted((response) => ({ ...response, status })),
  }),
);
