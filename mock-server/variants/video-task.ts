/** Video tasks as polls return them. */

import { isObject } from "../../lib/json.ts";
import { jsonResponse } from "../base/mock-response.ts";
import { changed, responseMember, withMembers } from "./transforms.ts";
import type { Variant } from "./variant.ts";

const route = "video.poll";
/** A cancel reads the state of a task too. */
const STATE_ROUTES = ["video.poll", "video.cancel"] as const;

export const videoTask: readonly Variant[] = [
  {
    name: "video-never-ends",
    kind: "fault",
    about: "every task stays processing",
    route: STATE_ROUTES,
    rules: { tasks: { neverEnds: true } },
  },
  {
    name: "video-always-fails",
    kind: "fault",
    about: "every task fails",
    route: STATE_ROUTES,
    rules: { tasks: { alwaysFails: true } },
  },
  {
    name: "video-completed-reverts",
    kind: "fault",
    about: "a completed task is processing again in every second poll",
    route: STATE_ROUTES,
    rules: { tasks: { completedReverts: true } },
  },
  {
    name: "video-failed-completes",
    kind: "fault",
    about: "a failed task is completed from its second poll on",
    route: STATE_ROUTES,
    rules: { tasks: { failedCompletes: true } },
  },
  {
    name: "video-cancelled-completes",
    kind: "fault",
    about: "a cancelled task is completed once its work would have been done",
    route: STATE_ROUTES,
    rules: { tasks: { cancelledCompletes: true } },
  },
  {
    name: "video-failed-500",
    kind: "fault",
    about: "a poll of a failed task returns 500",
    route,
    transform: (response) =>
      responseMember(response, "status") === "failed" ? { ...response, status: 500 } : response,
  },
  {
    name: "video-poll-cancelled-201",
    kind: "fault",
    about: "a poll of a cancelled task returns 201",
    route,
    transform: (response) =>
      responseMember(response, "status") === "cancelled" ? { ...response, status: 201 } : response,
  },
  {
    name: "video-failed-error",
    kind: "fault",
    about: 'a failed task has the status "error"',
    route,
    transform: (response) =>
      responseMember(response, "status") === "failed" ? changed("status", () => "error")(response) : response,
  },
  {
    name: "unknown-task-200",
    kind: "fault",
    about: "a poll of an unknown task returns 200 and processing",
    route,
    transform: (response) =>
      response.status === 404 ? jsonResponse(200, { id: "unknown", status: "processing", progress: 0 }) : response,
  },
  {
    name: "video-poll-other-id",
    kind: "fault",
    about: "a poll returns another id",
    route,
    transform: changed("id", (id) => `${String(id)}-other`),
  },
  {
    name: "video-url-while-processing",
    kind: "fault",
    about: "a task that is processing has a video_url",
    route,
    transform: (response) =>
      isObject(response.body) && response.body["status"] === "processing"
        ? { ...response, body: { ...response.body, video_url: "https://example.invalid/early.mp4" } }
        : response,
  },
  {
    name: "video-url-relative",
    kind: "fault",
    about: "video_url is a path",
    route,
    transform: changed("video_url", () => "/videos/one.mp4"),
  },
  {
    name: "total-cost-negative",
    kind: "fault",
    about: "total_cost is negative",
    route,
    transform: changed("usage.total_cost", (cost) => -1 * Math.max(1, Number(cost))),
  },
  {
    name: "content-filter-other-code",
    kind: "fault",
    about: 'error.code of a rejected prompt is "moderation"',
    route,
    transform: changed("error.code", () => "moderation"),
  },
  {
    name: "cost-integer",
    kind: "permitted",
    about: "total_cost is a whole number",
    route,
    transform: changed("usage.total_cost", (cost) => Math.round(Number(cost) * 10_000)),
  },
  {
    name: "cost-zero",
    kind: "permitted",
    about: "total_cost is 0",
    route,
    transform: changed("usage.total_cost", () => 0),
  },
  {
    name: "progress-zero",
    kind: "permitted",
    about: "progress stays 0",
    route,
    transform: changed("progress", () => 0),
  },
  {
    name: "progress-permille",
    kind: "permitted",
    about: "progress goes from 0 to 1000",
    route,
    transform: changed("progress", (progress) => Number(progress) * 10),
  },
  {
    name: "coarse-progress",
    kind: "permitted",
    about: "progress goes in steps of 10",
    route,
    transform: changed("progress", (progress) => Math.floor(Number(progress) / 10) * 10),
  },
  {
    name: "signed-urls",
    kind: "permitted",
    about: "video_url has a query with a signature",
    route,
    transform: changed("video_url", (url) => `${String(url)}?expires=1790000000&signature=a%2Fb%3D`),
  },
  {
    name: "null-members",
    kind: "permitted",
    about: "a poll returns every member of a task, null where it does not apply",
    route,
    transform: withMembers({ progress: null, video_url: null, usage: null, error: null }),
  },
  {
    name: "numbered-failures",
    kind: "permitted",
    about: "the error of a failed task also has a type and a numeric stage",
    route,
    transform: changed("error", (error) => (isObject(error) ? { ...error, type: "review", stage: 2 } : error)),
  },
  {
    name: "task-members",
    kind: "permitted",
    about: "a poll and a cancel also return model and created_at",
    route: STATE_ROUTES,
    transform: withMembers({ model: "m", created_at: "2026-01-31T12:00:00Z" }),
  },
  {
    name: "unknown-task-400",
    kind: "permitted",
    about: "a poll or a cancel of an unknown task returns 400",
    route: STATE_ROUTES,
    transform: (response) => (response.status === 404 ? { ...response, status: 400 } : response),
  },
];
