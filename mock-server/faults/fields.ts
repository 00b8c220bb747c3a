/**
 * A family: each field of each answer missing, of a wrong type, or of a value that the document does not name. Made
 * from the tables of the contract, so a new field has its faults at once.
 */

import {
  CHAT_COMPLETION_FIELDS,
  EMBEDDING_LIST_FIELDS,
  type Field,
  type FieldType,
  VIDEO_CANCELLATION_FIELDS,
  VIDEO_STATE_FIELDS,
  VIDEO_SUBMISSION_FIELDS,
  VIDEO_TASK_FIELDS,
} from "../../contract/fields.ts";
import type { TaskState } from "../../contract/service.ts";
import type { Json } from "../../lib/json.ts";
import type { RouteName } from "../base/route-name.ts";
import type { Change } from "../variants/change-member.ts";
import { changed, member } from "../variants/transforms.ts";
import { type Fault, fault } from "../variants/variant.ts";

interface Family {
  readonly prefix: string;
  readonly route: RouteName;
  readonly fields: readonly Field[];
  /** Areas of the clauses that see the field. */
  readonly clauses: readonly string[];
  /** Only answers that name this state have the field. */
  readonly state?: TaskState;
}

const FAMILIES: readonly Family[] = [
  { prefix: "chat", route: "chat", fields: CHAT_COMPLETION_FIELDS, clauses: ["chat.response"] },
  { prefix: "embeddings", route: "embeddings", fields: EMBEDDING_LIST_FIELDS, clauses: ["embeddings.response"] },
  {
    prefix: "video-submit",
    route: "video.submit",
    fields: VIDEO_SUBMISSION_FIELDS,
    clauses: ["video.submit.response"],
  },
  {
    prefix: "video-poll",
    route: "video.poll",
    fields: VIDEO_TASK_FIELDS,
    clauses: ["video.poll", "video.poll.cancelled"],
  },
  {
    prefix: "video-cancel",
    route: "video.cancel",
    fields: VIDEO_CANCELLATION_FIELDS,
    clauses: ["video.cancel.response"],
  },
  inState("processing"),
  inState("completed"),
  inState("failed"),
];

function inState(state: "processing" | "completed" | "failed"): Family {
  const fields = VIDEO_STATE_FIELDS[state];
  return { prefix: `video-${state}`, route: "video.poll", fields, clauses: [`video.poll.${state}`], state };
}

const WRONG_TYPE: Readonly<Record<FieldType, Json>> = {
  string: 7,
  int: "7",
  number: "7",
  object: "text",
  array: {},
  numbers: ["0.5"],
  boolean: "true",
  objects: ["text"],
  texts: 7,
};

const WRONG_VALUE = "something-else";

export default FAMILIES.flatMap((family) => family.fields.flatMap((field) => faultsOf(family, field)));

function faultsOf({ prefix, route, clauses, state }: Family, { path, type, values }: Field): Fault[] {
  const plain = path.replaceAll("[]", "");
  const stem = `${prefix}-${plain.replace(/[._]/g, "-")}`;
  const make = (ending: string, about: string, suffix: string, change: Change): Fault =>
    fault({
      name: `${stem}-${ending}`,
      about: `${path} of ${route}${state === undefined ? "" : ` while ${state}`} ${about}`,
      breaks: clauses.map((area) => `${area}.${plain}${suffix}`),
      route,
      transform: (response) =>
        state === undefined || member(response, "status") === state ? changed(path, change)(response) : response,
    });
  const both = [
    make("missing", "is missing", "", () => undefined),
    make("wrong-type", `is not of type ${type}`, "", () => WRONG_TYPE[type]),
  ];
  if (values === undefined) return both;
  return [...both, make("wrong-value", `is none of ${values.join(", ")}`, ".value", () => WRONG_VALUE)];
}
