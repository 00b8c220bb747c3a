/** Embedding requests: minimal, with single fields replaced or left out. */

import { PATHS } from "../../contract/service.ts";
import type { JsonObject } from "../../lib/json.ts";
import { PLACEHOLDERS, type RequestProbe, request, type Tweaks } from "../model/probe.ts";
import { without } from "./without.ts";

export const INPUT = "The quick brown fox";
/** Texts of different meaning; the first is `INPUT`, so that its vector can be recognised. */
export const INPUTS = [INPUT, "Seven wizards boxed jumps", "Prices fell on Tuesday"] as const;

/** How far apart in a large batch the texts are whose vectors are known. */
const APART = 13;

/** A batch as retrieval sends it; `INPUTS` are spread over it, and the last text is the first one again. */
export const MANY_INPUTS: readonly string[] = [
  ...Array.from({ length: 39 }, (_, i) => (i % APART === 1 && INPUTS[(i - 1) / APART]) || paragraph(i + 1)),
  paragraph(1),
];

/** The same in another order: texts whose vectors change places in one do so with other texts in the other. */
const TURNED_INPUTS: readonly string[] = [...MANY_INPUTS.slice(3), ...MANY_INPUTS.slice(0, 3)];

function paragraph(number: number): string {
  return `Paragraph ${number} of a document`;
}

const MINIMAL: JsonObject = { model: PLACEHOLDERS.embeddingModel, input: INPUT };

/** A minimal embedding request with the given fields in addition. */
export const embed = (fields: JsonObject = {}, tweaks: Tweaks = {}): RequestProbe =>
  request("POST", PATHS.embeddings, { ...MINIMAL, ...fields }, tweaks);

/** One input several times, in requests that a target may serve in other ways: how far equal texts are apart. */
export const ALONE: readonly RequestProbe[] = [
  embed(),
  embed({ encoding_format: "float" }),
  embed({}, { repeat: 1 }),
  embed({}, { repeat: 2 }),
];

/** Batches, and single inputs to compare with them. */
export const BATCHES = [
  embed({ input: INPUTS }),
  embed({ input: MANY_INPUTS }),
  embed({ input: TURNED_INPUTS }),
  ...ALONE,
  ...INPUTS.slice(1).map((input) => embed({ input })),
] as const;

/** An embedding request that leaves out one required field. */
export const embedWithout = (field: string): RequestProbe => request("POST", PATHS.embeddings, without(MINIMAL, field));

/** An embedding request to the path that lacks the prefix. */
export const embedUnprefixed = (path: string): RequestProbe => request("POST", path, MINIMAL);
