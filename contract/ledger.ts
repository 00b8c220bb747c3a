/**
 * The clause ledger: one row for each statement of the specification, in its order and in our own words. A clause of
 * the conformance suite covers a row, or the row is excluded with a reason; a test enforces it. The rows of fields are
 * made from the tables in `fields.ts`.
 */

import { oneOf } from "./check.ts";
import {
  CHAT_COMPLETION_FIELDS,
  EMBEDDING_LIST_FIELDS,
  FIELD_TYPE_NAMES,
  type Field,
  REQUEST_FIELDS,
  type RequestField,
  TASK_FIELDS,
  type TaskField,
} from "./fields.ts";
import {
  API_PREFIX,
  CONTENT_FILTER_CODE,
  ENCODING_FORMAT_DEFAULT,
  JSON_MEDIA_TYPE,
  NORMAL_FINISH_REASON,
  PATHS,
  POLL_INTERVAL_MS,
  REFERENCE_ROLES,
  SUCCESS_STATUS,
  TASK_STATES,
  TEMPERATURE,
  VIDEO_ASPECT_RATIO_DEFAULT,
  VIDEO_DURATION_DEFAULT,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTION_DEFAULT,
} from "./service.ts";
import { type Place, placeOf } from "./statement-places.ts";

type RowLevel = "required" | "recommended" | "observed" | "compatible" | "untestable";

export interface LedgerRow extends Place {
  readonly id: string;
  /** Heading of the specification under which the statement stands. */
  readonly section: string;
  readonly level: RowLevel;
  readonly text: string;
  /** Why no clause can check it. */
  readonly excluded?: string;
}

type Row = Omit<LedgerRow, "section" | keyof Place> & Partial<Place>;

const required = (id: string, text: string): Row => ({ id, level: "required", text });
const recommended = (id: string, text: string): Row => ({ id, level: "recommended", text });
const observed = (id: string, text: string): Row => ({ id, level: "observed", text });
const untestable = (id: string, text: string, excluded: string): Row => ({ id, level: "untestable", text, excluded });
const compatible = (id: string, text: string): Row => ({ id, level: "compatible", text });
const section = (name: string, rows: readonly Row[]): readonly LedgerRow[] =>
  rows.map((row) => ({ section: name, ...placeOf(row.id), ...row }));

type AnyField = Field | RequestField | TaskField;

/** The rows of a table of fields, each followed by what else the specification says of the field; then the other rows. */
function table(ids: string, fields: readonly AnyField[], others: readonly Row[]): readonly LedgerRow[] {
  const presence = ids.endsWith(".request") ? requestPresence : responsePresence;
  const idOf = ({ path }: AnyField): string => `${ids}.${path}`;
  const fieldOf = (row: Row): AnyField | undefined =>
    fields.filter((field) => row.id.startsWith(`${idOf(field)}.`)).sort((a, b) => b.path.length - a.path.length)[0];
  const rows = fields.flatMap((field) =>
    [required(idOf(field), statementOf(field, presence(field))), ...others.filter((row) => fieldOf(row) === field)].map(
      (row) => ({ ...row, kind: "field" as const, item: field.path }),
    ),
  );
  return section(fields[0]?.section ?? "", [...rows, ...others.filter((row) => fieldOf(row) === undefined)]);
}

/** `temperature (optional) is a number from 0 to 2` */
function statementOf(field: AnyField, presence: string): string {
  const { path, type, values } = field;
  const among = values === undefined ? "" : `: ${oneOf(values)}`;
  const range = "min" in field && "max" in field ? ` from ${field.min} to ${field.max}` : "";
  return `${path}${presence} is ${FIELD_TYPE_NAMES[type]}${among}${range}`;
}

const requestPresence = (field: AnyField): string =>
  "required" in field && field.required === true ? " (required)" : " (optional)";

function responsePresence(field: AnyField): string {
  if (!("when" in field)) return "";
  if (field.when === "always") return " (always present)";
  return field.when === "submission" ? " (on submission)" : ` (while the status is ${field.when})`;
}

const SERVICE = [
  ...section("Model Inference Service API", [required("service.base-url", "All paths are relative to the base URL")]),
  ...section("What the service does", [
    required("service.chat", "A conversation goes in and a model's reply comes out"),
    compatible("service.chat.compatible", "The chat interface is compatible with a widely used one"),
    required("service.chat.modes", "Chat has a non-streaming mode and a streaming mode"),
    required("service.embeddings", "Text goes in and vectors come out"),
    compatible("service.embeddings.compatible", "The embeddings interface is compatible with a widely used one"),
    untestable(
      "service.embeddings.uses",
      "Intended uses are retrieval-augmented generation, semantic search and clustering",
      "A purpose, not a behaviour",
    ),
    required("service.video.asynchronous", "A video task is submitted and its id is returned"),
    recommended("service.video.at-once", "The id is returned immediately, before the work is done"),
    required("service.video.flow", "The task is polled until completed or failed; the result then has the address"),
    required("service.video.cancellable", "A task that is still processing can be cancelled"),
    untestable(
      "service.billing",
      "Embeddings are billed by input tokens only, with no charge for output",
      "Charges are not part of any response",
    ),
    untestable("service.prices", "Prices are in a separate price list", "The list is not part of the service"),
    required("service.json", "Requests and responses use JSON"),
    recommended("service.json.media-type", "Responses declare that they are JSON"),
    required("service.content-type", `Requests with a body send Content-Type ${JSON_MEDIA_TYPE}`),
    observed("service.content-type.absent", "A body without Content-Type: not specified"),
  ]),
];

const CHAT_REQUEST = table("chat.request", REQUEST_FIELDS.chat, [
  required("chat.request.roles", `The roles ${REFERENCE_ROLES.join(" and ")} are accepted`),
  observed("chat.request.roles.other", "Other roles: not specified"),
  required("chat.request.stream.default", "stream is off by default"),
  untestable(
    "chat.request.temperature.default",
    `temperature is ${TEMPERATURE.default} by default`,
    "No response shows the sampling temperature",
  ),
  required("chat.request.max_tokens.meaning", "max_tokens is the maximum number of output tokens"),
  observed("chat.request.max_tokens.default", "max_tokens has no default"),
  observed("chat.request.message-fields", "Fields of a message beyond role and content: not shown"),
  recommended("chat.request.types", "Each field has the stated JSON type"),
  observed("chat.request.open", "Unknown fields, null optional fields, empty messages and content: not specified"),
]);

const CHAT_RESPONSE = table("chat.response", CHAT_COMPLETION_FIELDS, [
  observed(
    "chat.response.model.echo",
    "model is the model that answered; whether it repeats the request: not specified",
  ),
  recommended("chat.response.finish_reason.stop", `finish_reason is ${NORMAL_FINISH_REASON} for a normal end`),
  observed("chat.response.usage.sum", "Whether total_tokens is the sum of the others: not specified"),
]);

const EMBEDDING_REQUEST = table("embeddings.request", REQUEST_FIELDS.embeddings, [
  required("embeddings.request.input.string", "input may be one string"),
  required("embeddings.request.input.array", "input may be an array of strings"),
  required("embeddings.request.encoding_format.default", `encoding_format is ${ENCODING_FORMAT_DEFAULT} by default`),
  recommended("embeddings.request.types", "Each field has the stated JSON type"),
  observed("embeddings.request.open", "Unknown fields, null optional fields and empty input: not specified"),
]);

const EMBEDDING_RESPONSE = table("embeddings.response", EMBEDDING_LIST_FIELDS, [
  required("embeddings.response.data.count", "data has one item per input"),
  recommended("embeddings.response.data.order", "The items can be matched to the inputs by index"),
  recommended(
    "embeddings.response.data.dimensions",
    "All vectors of one response, and of one model, have the same length",
  ),
  recommended("embeddings.response.base64", "A base64 vector decodes to float32 values"),
  observed("embeddings.response.model.echo", "model is the model used; whether it repeats the request: not specified"),
  observed("embeddings.response.usage.sum", "Whether total_tokens equals prompt_tokens: not specified"),
]);

const VIDEO_REQUEST = table("video.request", REQUEST_FIELDS.videos, [
  required("video.request.prompt.max", `prompt has at most ${VIDEO_PROMPT_MAX} characters`),
  observed("video.request.prompt.unit", "What a character is outside the basic plane of Unicode: not specified"),
  required("video.request.duration.default", "duration may be omitted"),
  untestable(
    "video.request.duration.default.value",
    `duration is ${VIDEO_DURATION_DEFAULT} by default`,
    "No response shows the duration",
  ),
  required("video.request.resolution.default", "resolution may be omitted"),
  untestable(
    "video.request.resolution.default.value",
    `resolution is ${VIDEO_RESOLUTION_DEFAULT} by default`,
    "No response shows the resolution",
  ),
  required("video.request.aspect_ratio.default", "aspect_ratio may be omitted"),
  untestable(
    "video.request.aspect_ratio.default.value",
    `aspect_ratio is ${VIDEO_ASPECT_RATIO_DEFAULT} by default`,
    "No response shows the aspect ratio",
  ),
  recommended("video.request.combination", "Allowed values can be combined: 10 seconds in 1080p"),
  recommended("video.request.types", "Each field has the stated JSON type"),
  observed("video.request.open", "Unknown fields, null optional fields and an empty prompt: not specified"),
]);

const VIDEO_TASK = table("video.task", TASK_FIELDS, [
  required("video.task.id.path", "id is used as :taskId in paths and identifies one task"),
  required("video.task.created_at.format", "created_at is an ISO 8601 timestamp in UTC"),
  recommended("video.task.created_at.zone", "created_at names its zone and is near the present"),
  observed("video.task.progress.scale", "Scale of progress, and whether it only grows: not specified"),
  recommended("video.task.video_url.address", "video_url is the address of the finished video"),
  recommended("video.task.usage.total_cost.sign", "total_cost is not negative"),
  observed("video.task.usage.total_cost.unit", "Unit of total_cost: not shown"),
  required("video.task.error.content_filter", `code ${CONTENT_FILTER_CODE} is given for a content-review rejection`),
  recommended("video.task.present-when", "Fields of one state do not appear in another that they contradict"),
]);

const STATES = section("States and transitions", [
  required("states.names", `The states are ${TASK_STATES.slice(0, -1).join(", ")} and ${TASK_STATES.at(-1)}`),
  required(
    "states.submit",
    `An accepted submission starts processing and returns ${SUCCESS_STATUS.videoSubmit} with id, model, status, created_at`,
  ),
  required("states.completed", "Work that succeeds leads to completed, with video_url and usage.total_cost"),
  required("states.failed", "Work that ends with an error leads to failed, with error.message and error.code"),
  required(
    "states.cancelled",
    `Cancel while processing leads to cancelled and returns ${SUCCESS_STATUS.videoCancel} with id and status`,
  ),
  required("states.cancel-completed", "A completed task cannot be cancelled and stays completed"),
  observed("states.cancel-ended", "Cancel of a failed or cancelled task: not shown"),
  required("states.cancel-ended.unmoved", "completed, failed and cancelled have no further transition"),
  required("states.poll-until", "Clients poll until completed or failed"),
  untestable(
    "states.poll-interval",
    `The recommended polling interval is ${POLL_INTERVAL_MS.min / 1000} to ${POLL_INTERVAL_MS.max / 1000} seconds`,
    "A recommendation to clients: the default of --poll-interval",
  ),
]);

const ENDPOINTS = section("Endpoints", [
  required("endpoints.prefix", `The prefix ${API_PREFIX} applies to every path`),
  observed("endpoints.prefix.absent", `The flow description writes video paths without ${API_PREFIX}`),
  required("endpoints.chat", `POST ${PATHS.chat} takes JSON and returns ${SUCCESS_STATUS.chat} with the completion`),
  required("endpoints.chat.stream", "With stream true the reply is streamed"),
  required(
    "endpoints.embeddings",
    `POST ${PATHS.embeddings} takes JSON and returns ${SUCCESS_STATUS.embeddings} with the embeddings`,
  ),
  required("endpoints.video.submit", `POST ${PATHS.videos} takes JSON and returns ${SUCCESS_STATUS.videoSubmit}`),
  required("endpoints.video.submit.body", "The response has id, model, status processing and created_at"),
  required("endpoints.video.poll", `GET of a task returns ${SUCCESS_STATUS.videoPoll} in every state`),
  required("endpoints.video.poll.bare", "GET of a task has no body"),
  required("endpoints.video.poll.id", "GET of a task names the id that submission returned"),
  required("endpoints.video.poll.processing", "While processing: id, status, progress"),
  required("endpoints.video.poll.completed", "Once completed: id, status, video_url, usage.total_cost"),
  required("endpoints.video.poll.failed", "Once failed: id, status, error with message and code"),
  required(
    "endpoints.video.cancel",
    `POST to a task's cancel path returns ${SUCCESS_STATUS.videoCancel} with id and status cancelled`,
  ),
  required("endpoints.video.cancel.bare", "Cancel has no body"),
  required("endpoints.failed-is-200", `A failed task is reported with ${SUCCESS_STATUS.videoPoll} and status failed`),
  observed("endpoints.stream-format", "Format of the streamed chunks: not shown"),
  recommended("endpoints.stream-end", "A stream comes to its end"),
]);

const REST = [
  ...section("Authentication", [
    required("auth.bearer", "Every request has the header Authorization: Bearer <API_KEY>"),
    recommended("auth.bearer.enforced", "A request without a valid key is not served"),
    untestable(
      "auth.console",
      "Keys are managed on a console page named API Keys",
      "The console is outside the service's paths",
    ),
  ]),
  ...section("Events", [untestable("events", "Events: not shown", "Nothing is stated that could be checked")]),
  ...section("Errors", [
    required("errors.task", "A task that fails has error.message and error.code"),
    required("errors.task.content_filter", `${CONTENT_FILTER_CODE} means that content review was not passed`),
    required("errors.cancel-completed", "An attempt to cancel a completed task is not allowed"),
    observed("errors.cancel-completed.form", "Status and body of that refusal: not shown"),
    observed("errors.invalid.form", "Status and body for an invalid request: not shown"),
    recommended("errors.invalid.not-5xx", "An invalid request is the client's error, not the server's"),
    observed("errors.auth.form", "Status and body for bad authentication: not shown"),
    observed("errors.unknown-task.form", "Status and body for an unknown task id: not shown"),
    recommended("errors.unknown-task.not-2xx", "The response to an unknown task id is not a task"),
  ]),
  ...section("Limits", [
    required("limits.prompt", `prompt of a video: at most ${VIDEO_PROMPT_MAX} characters`),
    required("limits.temperature", `temperature: ${TEMPERATURE.min} to ${TEMPERATURE.max}`),
    required("limits.temperature.stream", "The limits of temperature also apply with stream true"),
    untestable(
      "limits.temperature.default",
      `temperature: default ${TEMPERATURE.default}`,
      "No response shows the sampling temperature",
    ),
    required("limits.duration", `duration of a video: ${oneOf(VIDEO_DURATIONS)} seconds`),
    untestable(
      "limits.poll-interval",
      `Polling interval: recommended ${POLL_INTERVAL_MS.min / 1000} to ${POLL_INTERVAL_MS.max / 1000} seconds`,
      "A recommendation to clients",
    ),
    untestable("limits.rate", "Rate limits and quotas: not shown", "Found only by load, not by single requests"),
    untestable(
      "limits.size",
      "Size limits of messages and inputs: not shown",
      "No size is stated that could be probed",
    ),
  ]),
  ...section("Versioning", [
    required("versioning.prefix", `The version is the path prefix ${API_PREFIX} on every endpoint`),
    untestable("versioning.policy", "Policy for new versions: not shown", "Nothing is stated that could be checked"),
  ]),
];

/** Every statement of the specification, in its order. */
export const LEDGER: readonly LedgerRow[] = [
  ...SERVICE,
  ...CHAT_REQUEST,
  ...CHAT_RESPONSE,
  ...EMBEDDING_REQUEST,
  ...EMBEDDING_RESPONSE,
  ...VIDEO_REQUEST,
  ...VIDEO_TASK,
  ...STATES,
  ...ENDPOINTS,
  ...REST,
];
