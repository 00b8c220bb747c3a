/**
 * What the mock accepts and how tasks change their state, as data. The values here follow the specification; variants
 * replace single members.
 */

import { REQUEST_FIELDS, type RequestField, type RequestName } from "../../contract/fields.ts";
import type { TaskState } from "../../contract/service.ts";

/** A field of a request as this service takes it: what the specification says of it, and what it leaves open. */
export interface AcceptedField extends RequestField {
  /** An empty text or list is refused. */
  readonly nonEmpty?: boolean;
  /** The field is refused whatever its value. */
  readonly refused?: boolean;
  readonly refusedValues?: readonly string[];
}

/** A field of a request: `<request>.<path>`. */
export type FieldName = {
  [Name in RequestName]: `${Name}.${(typeof REQUEST_FIELDS)[Name][number]["path"]}`;
}[RequestName];

export interface Rules {
  /** The fields of each request. */
  readonly fields: Readonly<Record<RequestName, readonly AcceptedField[]>>;
  /** Values of a wrong type that can be converted (`"5"`, 5.5, a number as text) are accepted. */
  readonly coerces: boolean;
  /** A null optional counts as absent. */
  readonly nullable: boolean;
  /** Empty messages, input and prompts are accepted. */
  readonly acceptsEmpty: boolean;
  /** What a character of a prompt is. */
  readonly promptUnit: "code-points" | "utf-16" | "bytes";
  /** A chat request never returns a stream. */
  readonly ignoresStream: boolean;
  readonly ignoresMaxTokens: boolean;
  /** Whether a request needs a key, and whether a key outside the accepted ones is refused. */
  readonly keyNeeded: boolean;
  readonly keyChecked: boolean;
  /** The key is taken without Bearer only. */
  readonly bareKey: boolean;
  /** The header with the key is known by its name in lower case only. */
  readonly lowerCaseKeyName: boolean;
  /** A body without Content-Type is refused. */
  readonly mediaTypeNeeded: boolean;
  /** Status of a request that is refused for its content. */
  readonly invalidStatus: number;
  /** The states in which a cancel changes the task to cancelled. */
  readonly cancellable: readonly TaskState[];
  /** The states in which a cancel returns 200 and the state, and changes nothing. */
  readonly cancelIdle: readonly TaskState[];
  readonly cancelRefusedStatus: number;
  readonly tasks: TaskRules;
}

/** How tasks change their state. */
export interface TaskRules {
  /** A cancel returns success, but the task continues. */
  readonly cancelForgotten: boolean;
  /** A cancelled task completes once its work would have been done. */
  readonly cancelledCompletes: boolean;
  /** A completed task is processing again in every second poll. */
  readonly completedReverts: boolean;
  /** A failed task is completed from its second poll on. */
  readonly failedCompletes: boolean;
  readonly neverEnds: boolean;
  readonly alwaysFails: boolean;
  readonly sameId: boolean;
  /** What every id begins with. */
  readonly idPrefix: string;
  /** The response to a submission is sent only when the work is done. */
  readonly submitWaits: boolean;
}

/** Replacements of what the rules say of single fields. */
export type FieldChanges = { readonly [Name in FieldName]?: Partial<AcceptedField> };

/** The rules with some fields changed. */
export function changeFields(rules: Rules, changes: FieldChanges): Rules {
  const byName: Readonly<Record<string, Partial<AcceptedField> | undefined>> = changes;
  const changed = (request: RequestName): readonly AcceptedField[] =>
    rules.fields[request].map((field) => ({ ...field, ...byName[`${request}.${field.path}`] }));
  return {
    ...rules,
    fields: { chat: changed("chat"), embeddings: changed("embeddings"), videos: changed("videos") },
  };
}

/** The rules before any field is changed. */
const STATED_RULES: Rules = {
  fields: REQUEST_FIELDS,
  coerces: false,
  nullable: false,
  acceptsEmpty: false,
  promptUnit: "code-points",
  ignoresStream: false,
  ignoresMaxTokens: false,
  keyNeeded: true,
  keyChecked: true,
  bareKey: false,
  lowerCaseKeyName: false,
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

/** The rules of the specification, with the most common choice where it leaves one. */
export const SPECIFICATION_RULES: Rules = changeFields(STATED_RULES, {
  "chat.messages": { nonEmpty: true },
  "chat.max_tokens": { min: 1 },
  "embeddings.input": { nonEmpty: true },
  "videos.prompt": { nonEmpty: true },
});
