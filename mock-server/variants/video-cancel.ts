/** Cancels of video tasks. */

import { changed } from "./transforms.ts";
import type { Variant } from "./variant.ts";

const route = "video.cancel";

export const videoCancel: readonly Variant[] = [
  {
    name: "cancel-completed-allowed",
    kind: "fault",
    about: "a completed task can be cancelled",
    route,
    rules: { cancellable: ["processing", "completed"] },
  },
  {
    name: "cancel-completed-idle",
    kind: "fault",
    about: "a cancel of a completed task returns 200 and completed",
    route,
    rules: { cancelIdle: ["completed"] },
  },
  {
    name: "video-cancel-forgotten",
    kind: "fault",
    about: "a cancel returns success, but the task continues",
    route,
    rules: { tasks: { cancelForgotten: true } },
  },
  {
    name: "video-cancel-other-id",
    kind: "fault",
    about: "a cancel returns another id",
    route,
    transform: changed("id", (id) => `${String(id)}-other`),
  },
  {
    name: "cancel-ended-200",
    kind: "permitted",
    about: "a cancel of a failed or cancelled task returns 200 and its state",
    route,
    rules: { cancelIdle: ["failed", "cancelled"] },
  },
  {
    name: "cancel-ended-404",
    kind: "permitted",
    about: "a cancel of a task that has ended returns 404",
    route,
    rules: { cancelRefusedStatus: 404 },
  },
  {
    name: "cancel-ended-422",
    kind: "permitted",
    about: "a cancel of a task that has ended returns 422",
    route,
    rules: { cancelRefusedStatus: 422 },
  },
];
