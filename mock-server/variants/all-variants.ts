/** Every variant of the mock. A row added to a topic is found here; a new topic is added to the list below. */

import { unknownName } from "../base/unknown-name.ts";
import { auth } from "./auth.ts";
import { texts } from "./characters.ts";
import { chat } from "./chat.ts";
import { compression } from "./compressed.ts";
import { eachRoute } from "./each-route.ts";
import { embeddings } from "./embeddings.ts";
import { errors } from "./errors.ts";
import { everyResponse } from "./every-response.ts";
import { reasoning } from "./reasoning.ts";
import { responseFields } from "./response-fields.ts";
import { streamEnd } from "./stream-end.ts";
import { streamForm } from "./stream-form.ts";
import { unusable } from "./unusable.ts";
import { unusableStreams } from "./unusable-streams.ts";
import type { Fault, Permitted, Variant } from "./variant.ts";
import { videoCancel } from "./video-cancel.ts";
import { videoSubmit } from "./video-submit.ts";
import { videoTask } from "./video-task.ts";

const ROWS: readonly Variant[] = [
  chat,
  embeddings,
  videoSubmit,
  videoTask,
  videoCancel,
  streamForm,
  streamEnd,
  reasoning,
  texts,
  auth,
  errors,
  everyResponse,
  compression,
  eachRoute,
  responseFields,
  unusable,
  unusableStreams,
]
  .flat()
  .sort((a, b) => (a.name < b.name ? -1 : 1));

/** The permitted variants, by name. */
export const PERMITTED: readonly Permitted[] = ROWS.filter((row) => row.kind === "permitted");

/** What `--fault` turns on, by name: the faults, and the permitted variants that have a fault name. */
export const FAULTS: readonly Fault[] = ROWS.flatMap((row): readonly Fault[] => {
  if (row.kind === "fault") return [row];
  const { faultName, path: _, ...rest } = row;
  return faultName === undefined ? [] : [{ ...rest, kind: "fault", name: faultName }];
}).sort((a, b) => (a.name < b.name ? -1 : 1));

export const DEFAULT_BEHAVIOUR = "strict";

/**
 * The fault of that name.
 * @throws UsageError with the nearest known name
 */
export const faultNamed = (name: string): Fault => named("fault", name, FAULTS);

/**
 * The permitted variant of that name.
 * @throws UsageError with the nearest known name
 */
export const permittedNamed = (name: string): Permitted => named("behaviour", name, PERMITTED);

function named<T extends Variant>(kind: string, name: string, rows: readonly T[]): T {
  const found = rows.find((row) => row.name === name);
  if (found !== undefined) return found;
  throw unknownName(
    kind,
    name,
    rows.map((row) => row.name),
  );
}
