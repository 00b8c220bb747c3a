/**
 * Every request of the service as the extension needs it: address, headers, and what the response must look like. Pure;
 * the fields themselves stand in the contract.
 */

import type { EndpointOptions } from "k6/x/assay";
import {
  CHAT_COMPLETION_FIELDS,
  EMBEDDING_LIST_FIELDS,
  VIDEO_CANCELLATION_FIELDS,
  VIDEO_STATE_FIELDS,
  VIDEO_SUBMISSION_FIELDS,
  VIDEO_TASK_FIELDS,
} from "../../contract/fields.ts";
import { PATHS, SUCCESS_STATUS, videoCancelPath, videoTaskPath } from "../../contract/service.ts";
import { BODY_HEADERS, type Service } from "../../load/read/service-access.ts";

/** The extension fills in the task; the braces must not be URL-encoded. */
const TASK = "{task}";
const taskUrl = (service: Service, path: (task: string) => string): string =>
  service.baseUrl + decodeURIComponent(path(TASK));

const INPUT_TOKENS = "usage.prompt_tokens";

const withBody = (service: Service): EndpointOptions["headers"] => ({ ...service.headers, ...BODY_HEADERS });

/** `POST /v1/chat/completions`, not streamed or streamed. */
export const chatEndpoint = (service: Service, model: string, stream: boolean): EndpointOptions => ({
  op: stream ? "chat.stream" : "chat",
  method: "POST",
  url: service.baseUrl + PATHS.chat,
  headers: withBody(service),
  model,
  stream,
  expect: stream
    ? { status: SUCCESS_STATUS.chat, fields: [] }
    : { status: SUCCESS_STATUS.chat, fields: CHAT_COMPLETION_FIELDS, nonEmpty: ["choices"] },
  read: {
    completion: "id",
    input_tokens: INPUT_TOKENS,
    output_tokens: "usage.completion_tokens",
    reasoning_tokens: "usage.completion_tokens_details.reasoning_tokens",
    cached_tokens: "usage",
  },
});

/** `POST /v1/embeddings`: one vector per input, all of one length, numbered from 0. */
export const embeddingsEndpoint = (service: Service, model: string): EndpointOptions => ({
  op: "embeddings",
  method: "POST",
  url: service.baseUrl + PATHS.embeddings,
  headers: withBody(service),
  model,
  stream: false,
  expect: {
    status: SUCCESS_STATUS.embeddings,
    fields: EMBEDDING_LIST_FIELDS,
    nonEmpty: ["data"],
    vectors: "data[].embedding",
    counted: "data",
    indexes: "data[].index",
  },
  read: { input_tokens: INPUT_TOKENS },
});

/** `POST /v1/videos/generations`. */
export const videoSubmitEndpoint = (service: Service, model: string): EndpointOptions => ({
  op: "video.submit",
  method: "POST",
  url: service.baseUrl + PATHS.videos,
  headers: withBody(service),
  model,
  stream: false,
  expect: { status: SUCCESS_STATUS.videoSubmit, fields: VIDEO_SUBMISSION_FIELDS },
  read: { task: "id", task_state: "status" },
  checked: true,
});

/** `GET /v1/videos/generations/:taskId`: the other fields depend on the task's status. */
export const videoPollEndpoint = (service: Service, model: string): EndpointOptions => ({
  op: "video.poll",
  method: "GET",
  url: taskUrl(service, videoTaskPath),
  headers: service.headers,
  model,
  stream: false,
  expect: {
    status: SUCCESS_STATUS.videoPoll,
    fields: VIDEO_TASK_FIELDS,
    variants: { by: "status", fields: VIDEO_STATE_FIELDS },
  },
  read: {
    task_state: "status",
    progress: "progress",
    cost: "usage.total_cost",
    task_error: "error",
    video_url: "video_url",
  },
  checked: true,
});

/** `POST /v1/videos/generations/:taskId/cancel`. */
export const videoCancelEndpoint = (service: Service, model: string): EndpointOptions => ({
  op: "video.cancel",
  method: "POST",
  url: taskUrl(service, videoCancelPath),
  headers: service.headers,
  model,
  stream: false,
  expect: { status: SUCCESS_STATUS.videoCancel, fields: VIDEO_CANCELLATION_FIELDS },
  read: { task_state: "status" },
  checked: true,
});

/** `HEAD` or `GET` of the `video_url` of a completed task, which is no endpoint of the service. */
export const videoFetchEndpoint = (service: Service, model: string, method: "HEAD" | "GET"): EndpointOptions => ({
  op: "video.fetch",
  method,
  url: service.baseUrl,
  headers: {},
  model,
  stream: false,
  expect: { status: 200, fields: [] },
  read: {},
});
