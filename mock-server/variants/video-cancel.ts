/** Cancels of video tasks. */

import { changed } from "./transforms.ts";
import { fault, permitted, type Variant } from "./variant.ts";

const route = "video.cancel";

export const videoCancel: readonly Variant[] = [
  fault("cancel-completed-allowed", route, "a completed task can be cancelled", {
    rules: { cancellable: ["processing", "completed"] },
  }),
  fault("cancel-completed-idle", route, "a cancel of a completed task returns 200 and completed", {
    rules: { cancelIdle: ["completed"] },
  }),
  fault("video-cancel-forgotten", route, "a cancel returns success, but the task continues", {
    rules: { tasks: { cancelForgotten: true } },
  }),
  fault("video-cancel-other-id", route, "a cancel returns another id", {
    transform: changed("id", (id) => `${String(id)}-other`),
  }),
  permitted("cancel-ended-200", route, "a cancel of a failed or cancelled task returns 200 and its state", {
    rules: { cancelIdle: ["failed", "cancelled"] },
  }),
  permitted("cancel-ended-404", route, "a cancel of a task that has ended returns 404", {
    rules: { cancelRefusedStatus: 404 },
  }),
  permitted("cancel-ended-422", route, "a cancel of a task that has ended returns 422", {
    rules: { cancelRefusedStatus: 422 },
  }),
];
