/** Each field of each response missing, of a wrong type, or with a wrong value; made from the contract's fields. */

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
import type { Change } from "./change-member.ts";
import { changed, responseMember } from "./transforms.ts";
import { type Fault, fault } from "./variant.ts";

interface Family {
  readonly prefix: string;
  readonly route: RouteName;
  readonly fields: readonly Field[];
  /** Only responses with this status have the field. */
  readonly state?: TaskState;
}

const FAMILIES: readonly Family[] = [
  { prefix: "chat", route: "chat", fields: CHAT_COMPLETION_FIELDS },
  { prefix: "embeddings", route: "embeddings", fields: EMBEDDING_LIST_FIELDS },
  { prefix: "video-submit", route: "video.submit", fields: VIDEO_SUBMISSION_FIELDS },
  { prefix: "video-poll", route: "video.poll", fields: VIDEO_TASK_FIELDS },
  { prefix: "video-poll-cancelled", route: "video.poll", fields: VIDEO_TASK_FIELDS, state: "cancelled" },
  { prefix: "video-cancel", route: "video.cancel", fields: VIDEO_CANCELLATION_FIELDS },
  ...(["processing", "completed", "failed"] as const).map(
    (state): Family => ({
      prefix: `video-${state}`,
      route: "video.poll",
      fields: VIDEO_STATE_FIELDS[state],
      state,
    }),
  ),
];

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

export const responseFields: readonly Fault[] = FAMILIES.flatMap((family) =>
  family.fields.flatMap((field) => faultsOf(family, field)),
);

function faultsOf({ prefix, route, state }: Family, { path, type, values }: Field): readonly Fault[] {
  const stem = `${prefix}-${path.replaceAll("[]", "").replace(/[._]/g, "-")}`;
  const make = (ending: string, about: string, change: Change): Fault =>
    fault(`${stem}-${ending}`, route, `${path} of ${route}${state === undefined ? "" : ` while ${state}`} ${about}`, {
      transform: (response) =>
        state === undefined || responseMember(response, "status") === state
          ? changed(path, change)(response)
          : response,
    });
  const both = [
    make("missing", "is missing", () => undefined),
    make("wrong-type", `is not of type ${type}`, () => WRONG_TYPE[type]),
  ];
  if (values === undefined) return both;
  return [...both, make("wrong-value", `is not ${values.join(" or ")}`, () => WRONG_VALUE)];
}
