/** Where in the specification a statement of the ledger stands: its tables and rules, which have no place of their own in `ledger.ts`. */

import { PATHS } from "./service.ts";

/** What a statement belongs to: a row of a table of fields, transitions, endpoints or limits, a numbered rule, or the text between. */
export type PlaceKind = "field" | "transition" | "endpoint" | "limit" | "rule" | "text";

export interface Place {
  readonly kind: PlaceKind;
  /** The row of the table, or the number of the rule; empty in text. */
  readonly item: string;
}

/** The heading over the sections that are tables of fields. */
export const FIELDS_HEADING = "Resources and their fields";

const placed = (kind: PlaceKind, items: Readonly<Record<string, string>>) =>
  Object.entries(items).map(([id, item]) => ({ id, place: { kind, item } }));

/** By the ids with which those of its statements begin; the places of fields are made from their tables. */
const PLACES: readonly { readonly id: string; readonly place: Place }[] = [
  ...placed("rule", {
    "service.chat": "1",
    "service.embeddings": "2",
    "service.video": "3",
    "endpoints.failed-is-200": "1",
    "endpoints.stream-format": "2",
    "endpoints.stream-end": "2",
    "auth.bearer": "1",
    "auth.console": "2",
    "errors.task": "1",
    "errors.cancel-completed": "2",
    "errors.invalid": "3",
    "errors.auth": "3",
    "errors.unknown-task": "3",
  }),
  ...placed("transition", {
    "states.submit": "→ processing",
    "states.completed": "processing → completed",
    "states.failed": "processing → failed",
    "states.cancelled": "processing → cancelled",
    "states.cancel-completed": "completed → completed",
  }),
  ...placed("endpoint", {
    "endpoints.chat": `POST ${PATHS.chat}`,
    "endpoints.embeddings": `POST ${PATHS.embeddings}`,
    "endpoints.video.submit": `POST ${PATHS.videos}`,
    "endpoints.video.poll": `GET ${PATHS.videos}/:taskId`,
    "endpoints.video.cancel": `POST ${PATHS.videos}/:taskId/cancel`,
  }),
  ...placed("limit", {
    "limits.prompt": "prompt",
    "limits.temperature": "temperature",
    "limits.duration": "duration",
    "limits.poll-interval": "polling interval",
  }),
];

/** The place of a statement that is not about a field. */
export const placeOf = (id: string): Place =>
  PLACES.find((entry) => `${id}.`.startsWith(`${entry.id}.`))?.place ?? { kind: "text", item: "" };
