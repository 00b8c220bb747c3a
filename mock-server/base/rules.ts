/**
 * What the mock accepts and how tasks move, as data. The values here are the document's; behaviours and faults
 * replace single members.
 */

import type { TaskState } from "../../contract/service.ts";
import {
  ENCODING_FORMATS,
  TEMPERATURE,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTIONS,
} from "../../contract/service.ts";

/** Every field of a request, as `<area>.<field>`, and whether the document requires it. */
export const REQUEST_FIELDS = {
  "chat.model": true,
  "chat.messages": true,
  "chat.messages.role": true,
  "chat.messages.content": true,
  "chat.stream": false,
  "chat.temperature": false,
  "chat.max_tokens": false,
  "embeddings.model": true,
  "embeddings.input": true,
  "embeddings.encoding_format": false,
  "video.model": true,
  "video.prompt": true,
  "video.duration": false,
  "video.resolution": false,
  "video.aspect_ratio": false,
} as const satisfies Record<string, boolean>;

export type RequestField = keyof typeof REQUEST_FIELDS;

export interface Rules {
  /** Whether the field must be there. */
  readonly required: Readonly<Record<RequestField, boolean>>;
  /** Fields whose presence alone is refused. */
  readonly refusedFields: readonly RequestField[];
  /** Wrong types that can be read as the right one (`"5"`, 5.5, a number as text) are. */
  readonly coerces: boolean;
  /** A null optional counts as absent. */
  readonly nullable: boolean;
  /** Empty messages, input and prompts are accepted. */
  readonly acceptsEmpty: boolean;
  readonly temperature: { readonly min: number; readonly max: number };
  readonly promptMax: number;
  readonly promptUnit: "code-points" | "utf-16" | "bytes";
  /** The values that are accepted; undefined is any. */
  readonly durations: readonly number[] | undefined;
  readonly resolutions: readonly string[] | undefined;
  readonly aspectRatios: readonly string[] | undefined;
  readonly encodingFormats: readonly string[] | undefined;
  readonly refusedRoles: readonly string[];
  /** Whether a chat request streams when it asks to, also when it does not say, or never. */
  readonly streaming: "when-asked" | "by-default" | "never";
  readonly ignoresMaxTokens: boolean;
  /** Whether a request needs a key, and whether a key outside the accepted ones is refused. */
  readonly keyNeeded: boolean;
  readonly keyChecked: boolean;
  /** A body without Content-Type is refused. */
  readonly mediaTypeNeeded: boolean;
  /** Status of a request that is refused for its content. */
  readonly invalidStatus: number;
  /** The states in which a cancel moves the task to cancelled. */
  readonly cancellable: readonly TaskState[];
  /** The states in which a cancel is answered with 200 and the state, and moves nothing. */
  readonly cancelIdle: readonly TaskState[];
  readonly cancelRefusedStatus: number;
  readonly tasks: TaskRules;
}

/** How tasks live. */
export interface TaskRules {
  /** A cancel is answered as if it worked, and the task goes on. */
  readonly cancelForgotten: boolean;
  /** A cancelled task completes once its work would have been done. */
  readonly cancelledCompletes: boolean;
  /** A completed task is seen as processing again at every second poll. */
  readonly completedReverts: boolean;
  /** A failed task is completed from its second poll on. */
  readonly failedCompletes: boolean;
  readonly neverEnds: boolean;
  readonly alwaysFails: boolean;
  readonly sameId: boolean;
  /** What every id begins with. */
  readonly idPrefix: string;
  /** The submission is answered only once the work is done. */
  readonly submitWaits: boolean;
}

/** The document's rules, with the commonest choice where it leaves one. */
export const SPECIFICATION_RULES: Rules = {
  required: REQUEST_FIELDS,
  refusedFields: [],
  coerces: false,
  nullable: false,
  acceptsEmpty: false,
  temperature: { min: TEMPERATURE.min, max: TEMPERATURE.max },
  promptMax: VIDEO_PROMPT_MAX,
  promptUnit: "code-points",
  durations: VIDEO_DURATIONS,
  resolutions: VIDEO_RESOLUTIONS,
  aspectRatios: VIDEO_ASPECT_RATIOS,
  encodingFormats: ENCODING_FORMATS,
  refusedRoles: [],
  streaming: "when-asked",
  ignoresMaxTokens: false,
  keyNeeded: true,
  keyChecked: true,
  mediaTypeNeeded: false,
  invalidStatus: 400,
  cancellable: ["processing"],
  cancelIdle: [],
  cancelRefusedStatus: 409,
  tasks: {
    cancelForgotten: false,
    cancelledCompletes: false,
    completedReverts: false,
    failedCompletes: false,
    neverEnds: false,
    alwaysFails: false,
    sameId: false,
    idPrefix: "task-",
    submitWaits: false,
  },
};
