/**
 * What the mock accepts and how tasks move, as data. The values here are the document's; behaviours and faults
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
  /** The fields of each request; `changeField` replaces what is said of one. */
  readonly fields: Readonly<Record<RequestName, readonly AcceptedField[]>>;
  /** Wrong types that can be read as the right one (`"5"`, 5.5, a number as text) are. */
  readonly coerces: boolean;
  /** A null optional counts as absent. */
  readonly nullable: boolean;
  /** Empty messages, input and prompts are accepted. */
  readonly acceptsEmpty: boolean;
  /** What a character of a prompt is. */
  readonly promptUnit: "code-points" | "utf-16" | "bytes";
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

/** Replaces what the rules say of one field. */
export const changeField =
  (name: FieldName, change: Partial<AcceptedField>) =>
  (rules: Rules): Rules => {
    const changed = (request: RequestName): readonly AcceptedField[] =>
      rules.fields[request].map((field) => (`${request}.${field.path}` === name ? { ...field, ...change } : field));
    return {
      ...rules,
      fields: { chat: changed("chat"), embeddings: changed("embeddings"), videos: changed("videos") },
    };
  };

/** The rules before any field is changed. */
const STATED_RULES: Rules = {
  fields: REQUEST_FIELDS,
  coerces: false,
  nullable: false,
  acceptsEmpty: false,
  promptUnit: "code-points",
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

/** The specification's rules, with the commonest choice where it leaves one. */
export const SPECIFICATION_RULES: Rules = [
  changeField("chat.messages", { nonEmpty: true }),
  changeField("chat.max_tokens", { min: 1 }),
  changeField("embeddings.input", { nonEmpty: true }),
  changeField("videos.prompt", { nonEmpty: true }),
].reduce((rules, change) => change(rules), STATED_RULES);
