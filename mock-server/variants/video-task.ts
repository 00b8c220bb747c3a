/** Video tasks as polls return them. */

import { isObject } from "../../lib/json.ts";
import { jsonResponse } from "../base/mock-response.ts";
import { changed, responseMember, withMembers } from "./transforms.ts";
import { fault, permitted, type Variant } from "./variant.ts";

const route = "video.poll";
/** A cancel reads the state of a task too. */
const STATE_ROUTES = ["video.poll", "video.cancel"] as const;

export const videoTask: readonly Variant[] = [
  fault("video-never-ends", STATE_ROUTES, "every task stays processing", { rules: { tasks: { neverEnds: true } } }),
  fault("video-always-fails", STATE_ROUTES, "every task fails", { rules: { tasks: { alwaysFails: true } } }),
  fault("video-completed-reverts", STATE_ROUTES, "a completed task is processing again in every second poll", {
    rules: { tasks: { completedReverts: true } },
  }),
  fault("video-failed-completes", STATE_ROUTES, "a failed task is completed from its second poll on", {
    rules: { tasks: { failedCompletes: true } },
  }),
  fault("video-cancelled-completes", STATE_ROUTES, "a cancelled task is completed once its work would have been done", {
    rules: { tasks: { cancelledCompletes: true } },
  }),
  fault("video-failed-500", route, "a poll of a failed task returns 500", {
    transform: (response) =>
      responseMember(response, "status") === "failed" ? { ...response, status: 500 } : response,
  }),
  fault("video-poll-cancelled-201", route, "a poll of a cancelled task returns 201", {
    transform: (response) =>
      responseMember(response, "status") === "cancelled" ? { ...response, status: 201 } : response,
  }),
  fault("video-failed-error", route, 'a failed task has the status "error"', {
    transform: (response) =>
      responseMember(response, "status") === "failed" ? changed("status", () => "error")(response) : response,
  }),
  fault("unknown-task-200", route, "a poll of an unknown task returns 200 and processing", {
    transform: (response) =>
      response.status === 404 ? jsonResponse(200, { id: "unknown", status: "processing", progress: 0 }) : response,
  }),
  fault("unknown-task-500", route, "a poll of an unknown task returns 500", {
    transform: (response) => (response.status === 404 ? { ...response, status: 500 } : response),
  }),
  fault("video-poll-other-id", route, "a poll returns another id", {
    transform: changed("id", (id) => `${String(id)}-other`),
  }),
  fault("video-url-while-processing", route, "a task that is processing has a video_url", {
    transform: (response) =>
      isObject(response.body) && response.body["status"] === "processing"
        ? { ...response, body: { ...response.body, video_url: "https://example.invalid/early.mp4" } }
        : response,
  }),
  fault("video-url-relative", route, "video_url is a path", {
    transform: changed("video_url", () => "/videos/one.mp4"),
  }),
  fault("video-url-gone", route, "video_url leads to nothing (404)", {
    transform: changed("video_url", (url) => `${String(url)}.gone`),
  }),
  fault("video-url-internal", route, "video_url leads to a link-local address", {
    transform: changed("video_url", () => "http://169.254.169.254/latest/meta-data/"),
  }),
  fault("total-cost-negative", route, "total_cost is negative", {
    transform: changed("usage.total_cost", (cost) => -1 * Math.max(1, Number(cost))),
  }),
  fault("content-filter-other-code", route, 'error.code of a rejected prompt is "moderation"', {
    transform: changed("error.code", () => "moderation"),
  }),
  permitted("cost-integer", route, "total_cost is a whole number", {
    transform: changed("usage.total_cost", (cost) => Math.round(Number(cost) * 10_000)),
  }),
  permitted("cost-zero", route, "total_cost is 0", { transform: changed("usage.total_cost", () => 0) }),
  permitted("progress-zero", route, "progress stays 0", { transform: changed("progress", () => 0) }),
  permitted("progress-permille", route, "progress goes from 0 to 1000", {
    transform: changed("progress", (progress) => Number(progress) * 10),
  }),
  permitted("coarse-progress", route, "progress goes in steps of 10", {
    transform: changed("progress", (progress) => Math.floor(Number(progress) / 10) * 10),
  }),
  permitted("signed-urls", route, "video_url has a query with a signature", {
    transform: changed("video_url", (url) => `${String(url)}?expires=1790000000&signature=a%2Fb%3D`),
  }),
  permitted("null-members", route, "a poll returns every member of a task, null where it does not apply", {
    transform: withMembers({ progress: null, video_url: null, usage: null, error: null }),
  }),
  permitted("numbered-failures", route, "the error of a failed task also has a type and a numeric stage", {
    transform: changed("error", (error) => (isObject(error) ? { ...error, type: "review", stage: 2 } : error)),
  }),
  permitted("task-members", STATE_ROUTES, "a poll and a cancel also return model and created_at", {
    transform: withMembers({ model: "m", created_at: "2026-01-31T12:00:00Z" }),
  }),
  permitted("unknown-task-400", STATE_ROUTES, "a poll or a cancel of an unknown task returns 400", {
    transform: (response) => (response.status === 404 ? { ...response, status: 400 } : response),
  }),
];
