/**
 * The clause ledger: one row for every statement of the service's document, in the document's order and in our own
 * words. A row is covered by clauses of the conformance suite or excluded with a reason; a test keeps it so.
 */

type RowLevel = "required" | "recommended" | "observed" | "compatible" | "untestable";

export interface LedgerRow {
  readonly id: string;
  /** Heading of the document under which the statement stands. */
  readonly section: string;
  readonly level: RowLevel;
  readonly text: string;
  /** Why no clause can check it. */
  readonly excluded?: string;
}

type Row = Omit<LedgerRow, "section">;

const required = (id: string, text: string): Row => ({ id, level: "required", text });
const recommended = (id: string, text: string): Row => ({ id, level: "recommended", text });
const observed = (id: string, text: string): Row => ({ id, level: "observed", text });
const untestable = (id: string, text: string, excluded: string): Row => ({ id, level: "untestable", text, excluded });
const compatible = (id: string, text: string): Row => ({ id, level: "compatible", text });
const section = (name: string, rows: readonly Row[]): readonly LedgerRow[] =>
  rows.map((row) => ({ section: name, ...row }));

const SERVICE = section("What the service does", [
  required("service.chat", "A conversation goes in and a model's reply comes out"),
  compatible("service.chat.compatible", "The chat interface is compatible with a widely used one"),
  required("service.chat.modes", "Chat has a non-streaming and a streaming mode"),
  required("service.embeddings", "Text goes in and vectors come out"),
  compatible("service.embeddings.compatible", "The embeddings interface is compatible with a widely used one"),
  untestable(
    "service.embeddings.uses",
    "Intended uses are retrieval, search and clustering",
    "A purpose, not a behaviour",
  ),
  required("service.video.asynchronous", "A video task is submitted and its id is returned"),
  recommended("service.video.at-once", "The id is returned immediately, before the work is done"),
  required("service.video.flow", "The task is polled until completed or failed; the result then holds the address"),
  required("service.video.cancellable", "A task that is still processing can be cancelled"),
  untestable("service.billing", "Embeddings are billed by input tokens only", "Charges are not part of any answer"),
  untestable("service.prices", "Prices are in a separate price list", "The list is not part of the service"),
  required("service.json", "Requests and answers use JSON"),
  recommended("service.json.media-type", "Answers say that they are JSON"),
  required("service.content-type", "Requests with a body send Content-Type application/json"),
  observed("service.content-type.absent", "A body without Content-Type: left open"),
]);

const CHAT_REQUEST = section("Chat completion request", [
  required("chat.request.model", "model is a string and required"),
  required("chat.request.messages", "messages is an array and required"),
  required("chat.request.messages.role", "each message has a role, a string"),
  required("chat.request.messages.content", "each message has content, a string"),
  required("chat.request.roles", "the roles system and user are accepted"),
  observed("chat.request.roles.other", "other roles: left open"),
  required("chat.request.stream", "stream is an optional boolean"),
  required("chat.request.stream.default", "stream is off when omitted"),
  required("chat.request.temperature", "temperature is an optional number from 0 to 2"),
  untestable("chat.request.temperature.default", "temperature is 1 when omitted", "A sampling default cannot be seen"),
  required("chat.request.max_tokens", "max_tokens is an optional integer"),
  recommended("chat.request.max_tokens.meaning", "max_tokens is the most output tokens"),
  observed("chat.request.max_tokens.default", "max_tokens has no default"),
  observed("chat.request.message-fields", "Fields of a message beyond role and content: not shown"),
  recommended("chat.request.types", "Each field has the JSON type that is stated"),
  observed("chat.request.open", "Unknown fields, null optionals, empty messages and content: left open"),
]);

const CHAT_RESPONSE = section("Chat completion response", [
  required("chat.response.id", "id is a string"),
  required("chat.response.model", "model is a string"),
  observed("chat.response.model.echo", "model is the model that answered; whether it repeats the request is open"),
  required("chat.response.choices", "choices is an array with at least one item"),
  required("chat.response.choices[].index", "each choice has an integer index"),
  required("chat.response.choices[].finish_reason", "each choice has a finish_reason, a string"),
  recommended("chat.response.finish_reason.stop", "finish_reason is stop at a normal end"),
  required("chat.response.choices[].message", "each choice has a message, an object"),
  required("chat.response.choices[].message.role", "role of the message is assistant"),
  required("chat.response.choices[].message.content", "content of the message is a string"),
  required("chat.response.usage", "usage is an object"),
  required("chat.response.usage.prompt_tokens", "prompt_tokens is an integer"),
  required("chat.response.usage.completion_tokens", "completion_tokens is an integer"),
  required("chat.response.usage.total_tokens", "total_tokens is an integer"),
  observed("chat.response.usage.sum", "Whether total_tokens is the sum of the others: left open"),
]);

const EMBEDDING_REQUEST = section("Embedding request", [
  required("embeddings.request.model", "model is a string and required"),
  required("embeddings.request.input", "input is required"),
  required("embeddings.request.input.string", "input may be one string"),
  required("embeddings.request.input.array", "input may be an array of strings"),
  required("embeddings.request.encoding_format", "encoding_format is float or base64, optional"),
  required("embeddings.request.encoding_format.default", "encoding_format is float when omitted"),
  recommended("embeddings.request.types", "Each field has the JSON type that is stated"),
  observed("embeddings.request.open", "Unknown fields, null optionals and empty input: left open"),
]);

const EMBEDDING_RESPONSE = section("Embedding response", [
  required("embeddings.response.object", "object is the string list"),
  required("embeddings.response.data", "data is an array"),
  required("embeddings.response.data.count", "data holds one item per input"),
  recommended("embeddings.response.data.order", "The items can be matched to the inputs by index"),
  required("embeddings.response.data[].object", "object of each item is the string embedding"),
  required("embeddings.response.data[].index", "index of each item is an integer"),
  required("embeddings.response.data[].embedding", "embedding of each item is an array of numbers"),
  recommended("embeddings.response.data.dimensions", "All vectors of one answer have equal dimensions"),
  recommended("embeddings.response.base64", "A base64 vector decodes to float32 values"),
  required("embeddings.response.model", "model is a string"),
  observed("embeddings.response.model.echo", "model is the model used; whether it repeats the request is open"),
  required("embeddings.response.usage", "usage is an object"),
  required("embeddings.response.usage.prompt_tokens", "prompt_tokens is an integer"),
  required("embeddings.response.usage.total_tokens", "total_tokens is an integer"),
  observed("embeddings.response.usage.sum", "Whether total_tokens equals prompt_tokens: left open"),
]);

const VIDEO_REQUEST = section("Video generation request", [
  required("video.request.model", "model is a string and required"),
  required("video.request.prompt", "prompt is a string and required"),
  required("video.request.prompt.max", "prompt has at most 2000 characters"),
  observed("video.request.prompt.unit", "Which unit a character is, beyond the basic plane: left open"),
  required("video.request.duration", "duration is 5 or 10, an optional integer"),
  required("video.request.duration.default", "duration may be omitted"),
  untestable("video.request.duration.default.value", "duration is 5 when omitted", "No answer shows the duration"),
  required("video.request.resolution", "resolution is 720p or 1080p, optional"),
  required("video.request.resolution.default", "resolution may be omitted"),
  untestable(
    "video.request.resolution.default.value",
    "resolution is 720p when omitted",
    "No answer shows the resolution",
  ),
  required("video.request.aspect_ratio", "aspect_ratio is 16:9, 9:16 or 1:1, optional"),
  required("video.request.aspect_ratio.default", "aspect_ratio may be omitted"),
  untestable(
    "video.request.aspect_ratio.default.value",
    "aspect_ratio is 16:9 when omitted",
    "No answer shows the ratio",
  ),
  recommended("video.request.combination", "Allowed values go together: 10 seconds in 1080p"),
  recommended("video.request.types", "Each field has the JSON type that is stated"),
  observed("video.request.open", "Unknown fields, null optionals and an empty prompt: left open"),
]);

const VIDEO_TASK = section("Video generation task", [
  required("video.task.id", "id is a string, always present"),
  required("video.task.id.path", "id is used as :taskId in paths and names one task"),
  required("video.task.model", "model is a string on submission"),
  required("video.task.status", "status is always present: processing, completed, failed or cancelled"),
  required("video.task.created_at", "created_at is a string on submission"),
  required("video.task.created_at.format", "created_at is an ISO 8601 timestamp in UTC"),
  recommended("video.task.created_at.zone", "created_at names its zone and is near the present"),
  required("video.task.progress", "progress is an integer while processing"),
  observed("video.task.progress.scale", "Scale and monotony of progress: left open"),
  required("video.task.video_url", "video_url is a string once completed"),
  recommended("video.task.video_url.address", "video_url is the address of the finished video"),
  required("video.task.usage", "usage is an object once completed"),
  required("video.task.usage.total_cost", "usage.total_cost is a number"),
  recommended("video.task.usage.total_cost.sign", "total_cost is not negative"),
  observed("video.task.usage.total_cost.unit", "Unit of total_cost: not shown"),
  required("video.task.error", "error is an object once failed"),
  required("video.task.error.message", "error.message is a string"),
  required("video.task.error.code", "error.code is a string"),
  required("video.task.error.content_filter", "code content_filter is given for a content-review rejection"),
  recommended("video.task.present-when", "Fields of one state do not appear in another that they contradict"),
]);

const STATES = section("States and transitions", [
  required("states.names", "The states are processing, completed, failed and cancelled"),
  required(
    "states.submit",
    "An accepted submission starts processing and answers 202 with id, model, status, created_at",
  ),
  required("states.completed", "Work that succeeds leads to completed, with video_url and usage.total_cost"),
  required("states.failed", "Work that errs leads to failed, with error.message and error.code"),
  required("states.cancelled", "Cancel while processing leads to cancelled and answers 200 with id and status"),
  required("states.cancel-completed", "A completed task cannot be cancelled and stays completed"),
  observed("states.cancel-ended", "Cancel of a failed or cancelled task: not shown"),
  required("states.cancel-ended.unmoved", "completed, failed and cancelled have no further transition"),
  required("states.poll-until", "Clients poll until completed or failed"),
  untestable(
    "states.poll-interval",
    "The recommended polling interval is 5 to 10 seconds",
    "A duty of the client: the default of --poll-interval",
  ),
]);

const ENDPOINTS = section("Endpoints", [
  required("endpoints.prefix", "The prefix /v1 applies to every path"),
  observed("endpoints.prefix.absent", "The flow description writes video paths without /v1"),
  required("endpoints.chat", "POST /v1/chat/completions takes JSON and answers 200 with the completion"),
  required("endpoints.chat.stream", "With stream true the reply is streamed"),
  required("endpoints.embeddings", "POST /v1/embeddings takes JSON and answers 200 with the embeddings"),
  required("endpoints.video.submit", "POST /v1/videos/generations takes JSON and answers 202"),
  required("endpoints.video.submit.body", "The answer holds id, model, status processing and created_at"),
  required("endpoints.video.poll", "GET of a task answers 200 in every state"),
  required("endpoints.video.poll.bare", "GET of a task has no body"),
  required("endpoints.video.poll.id", "GET of a task names the id that submission returned"),
  required("endpoints.video.poll.processing", "While processing: id, status, progress"),
  required("endpoints.video.poll.completed", "Once completed: id, status, video_url, usage.total_cost"),
  required("endpoints.video.poll.failed", "Once failed: id, status, error with message and code"),
  required("endpoints.video.cancel", "POST to a task's cancel path answers 200 with id and status cancelled"),
  required("endpoints.video.cancel.bare", "Cancel has no body"),
  required("endpoints.failed-is-200", "A failed task is reported with 200 and status failed"),
  observed("endpoints.stream-format", "Format of the streamed chunks: not shown"),
  recommended("endpoints.stream-end", "A stream comes to its end"),
]);

const REST = [
  ...section("Authentication", [
    required("auth.bearer", "Every request carries Authorization: Bearer <API_KEY>"),
    recommended("auth.bearer.enforced", "A request without a valid key is not served"),
    untestable(
      "auth.console",
      "Keys are managed on a console page named API Keys",
      "The console is outside the service's paths",
    ),
  ]),
  ...section("Events", [untestable("events", "Events: not shown", "Nothing is stated that could be checked")]),
  ...section("Errors", [
    required("errors.task", "A task that fails carries error.message and error.code"),
    required("errors.task.content_filter", "content_filter means that content review was not passed"),
    required("errors.cancel-completed", "An attempt to cancel a completed task is not allowed"),
    observed("errors.cancel-completed.form", "Status and body of that refusal: not shown"),
    observed("errors.invalid.form", "Status and body for an invalid request: not shown"),
    recommended("errors.invalid.not-5xx", "An invalid request is the client's error, not the server's"),
    observed("errors.auth.form", "Status and body for bad authentication: not shown"),
    observed("errors.unknown-task.form", "Status and body for an unknown task id: not shown"),
    recommended("errors.unknown-task.not-2xx", "An unknown task id is not answered as a task"),
  ]),
  ...section("Limits", [
    required("limits.prompt", "prompt of a video: at most 2000 characters"),
    required("limits.temperature", "temperature: 0 to 2"),
    recommended("limits.temperature.stream", "The limits of temperature also hold with stream true"),
    untestable("limits.temperature.default", "temperature: default 1", "A sampling default cannot be seen"),
    required("limits.duration", "duration of a video: 5 or 10 seconds"),
    untestable("limits.poll-interval", "Polling interval: recommended 5 to 10 seconds", "A duty of the client"),
    untestable("limits.rate", "Rate limits and quotas: not shown", "Found only by load, not by single requests"),
    untestable(
      "limits.size",
      "Size limits of messages and inputs: not shown",
      "No size is stated that could be probed",
    ),
  ]),
  ...section("Versioning", [
    required("versioning.prefix", "The version is the path prefix /v1 on every endpoint"),
    untestable("versioning.policy", "Policy for new versions: not shown", "Nothing is stated that could be checked"),
  ]),
];

/** Every statement of the document, in its order. */
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
