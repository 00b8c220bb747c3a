/** Embedding requests: minimal, with single fields replaced or left out. */

import { PATHS } from "../../contract/service.ts";
import type { JsonObject } from "../../lib/json.ts";
import { PLACEHOLDERS, type RequestProbe, request, type Tweaks } from "../model/probe.ts";
import { without } from "./without.ts";

export const INPUT = "The quick brown fox";
/** Texts of different meaning; the first is `INPUT`, so that its vector can be recognised. */
export const INPUTS = [INPUT, "Seven wizards boxed jumps", "Prices fell on Tuesday"] as const;

/** A batch as retrieval sends it; the last text is the first one again. */
export const MANY_INPUTS: readonly string[] = [
  ...Array.from({ length: 39 }, (_, i) => `Paragraph ${i + 1} of a document`),
  "Paragraph 1 of a document",
];

const MINIMAL: JsonObject = { model: PLACEHOLDERS.embeddingModel, input: INPUT };

/** A minimal embedding request with the given fields in addition. */
export const embed = (fields: JsonObject = {}, tweaks: Tweaks = {}): RequestProbe =>
  request("POST", PATHS.embeddings, { ...MINIMAL, ...fields }, tweaks);

/** An embedding request that leaves out one required field. */
export const embedWithout = (field: string): RequestProbe => request("POST", PATHS.embeddings, without(MINIMAL, field));

/** An embedding request to the path that lacks the prefix. */
export const embedUnprefixed = (path: string): RequestProbe => request("POST", path, MINIMAL);
