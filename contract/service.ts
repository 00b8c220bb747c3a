/**
 * The Model Inference Service as constants: every path, enum, limit and default of its specification, once.
 * No imports, so that this file also runs inside k6.
 */

/** Prefix of every path (sections Endpoints and Versioning). */
export const API_PREFIX = "/v1";

export const PATHS = {
  chat: `${API_PREFIX}/chat/completions`,
  embeddings: `${API_PREFIX}/embeddings`,
  videos: `${API_PREFIX}/videos/generations`,
} as const;

/** Path of one video task; the id is URL-encoded. */
export const videoTaskPath = (taskId: string): string => `${PATHS.videos}/${encodeURIComponent(taskId)}`;

/** Path that cancels one video task; the id is URL-encoded. */
export const videoCancelPath = (taskId: string): string => `${videoTaskPath(taskId)}/cancel`;

/** The kinds of model work (section What the service does). */
export const PARTS = ["chat", "embeddings", "video"] as const;
export type Part = (typeof PARTS)[number];

/** Status of the success response of each endpoint. */
export const SUCCESS_STATUS = {
  chat: 200,
  embeddings: 200,
  videoSubmit: 202,
  videoPoll: 200,
  videoCancel: 200,
} as const;

/** Roles of the reference request; the specification names no others for requests. */
export const REFERENCE_ROLES = ["system", "user"] as const;
export const ASSISTANT_ROLE = "assistant";
export const NORMAL_FINISH_REASON = "stop";

export const TEMPERATURE = { min: 0, max: 2, default: 1 } as const;
export const STREAM_DEFAULT = false;

export const ENCODING_FORMATS = ["float", "base64"] as const;
export type EncodingFormat = (typeof ENCODING_FORMATS)[number];
export const ENCODING_FORMAT_DEFAULT: EncodingFormat = "float";
export const EMBEDDING_LIST_OBJECT = "list";
export const EMBEDDING_ITEM_OBJECT = "embedding";

/** Maximum length of a video prompt, in characters. */
export const VIDEO_PROMPT_MAX = 2000;

export const VIDEO_DURATIONS = [5, 10] as const;
export const VIDEO_DURATION_DEFAULT: (typeof VIDEO_DURATIONS)[number] = 5;

export const VIDEO_RESOLUTIONS = ["720p", "1080p"] as const;
export const VIDEO_RESOLUTION_DEFAULT: (typeof VIDEO_RESOLUTIONS)[number] = "720p";

export const VIDEO_ASPECT_RATIOS = ["16:9", "9:16", "1:1"] as const;
export const VIDEO_ASPECT_RATIO_DEFAULT: (typeof VIDEO_ASPECT_RATIOS)[number] = "16:9";

export const TASK_STATES = ["processing", "completed", "failed", "cancelled"] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** States without a further transition. */
export const TERMINAL_STATES = ["completed", "failed", "cancelled"] as const satisfies readonly TaskState[];

/** Whether a value is the name of a state without a further transition. */
export const isTerminal = (state: unknown): boolean => TERMINAL_STATES.some((terminal) => terminal === state);

/**
 * Whether a submission may have created a task, by the status of its response; 0 stands for none. A redirect, a client error
 * and 503 create nothing. Any other server error may come from a gateway before a service that created the task.
 */
export const mayHaveCreatedTask = (status: number): boolean => !((status >= 300 && status < 500) || status === 503);

/** Error code of a task that the content review rejected. */
export const CONTENT_FILTER_CODE = "content_filter";

/** Recommended time between two polls of a task, in milliseconds. */
export const POLL_INTERVAL_MS = { min: 5_000, max: 10_000 } as const;

/** Value of the Authorization header. */
export const bearer = (apiKey: string): string => `Bearer ${apiKey}`;

/** What every request names as its sender, with the version of this package (a test holds it to `package.json`): a firewall may refuse others. */
export const USER_AGENT = "assay/0.1.0";

export const JSON_MEDIA_TYPE = "application/json";
