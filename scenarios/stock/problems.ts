/** What can be wrong with a response. Pure. */

import type { ClientFault, Outcome } from "../../formats/outcomes.ts";
import { isObject } from "../../lib/json.ts";
import { excerpt } from "./detail-text.ts";
import { parseResponse } from "./response-json.ts";

/** An outcome other than `ok`, and a sentence about what was wrong. */
export interface Problem {
  readonly outcome: Exclude<Outcome, "ok">;
  readonly detail: string;
  /** Of a `client_error`. */
  readonly fault?: ClientFault;
}

export const problem = (outcome: Problem["outcome"], detail: string): Problem => ({ outcome, detail });
export const malformed = (detail: string): Problem => problem("malformed", detail);

/** The problem of a response of which `what` exceeds its limit. */
export const tooLarge = (what: string): Problem => problem("too_large", what);

export const NO_BYTE = problem("no_done", "The stream ended without a byte.");

/** The problem of a text that is a JSON object whose error is not null; undefined for any other. */
export function errorObject(text: string, says: string): Problem | undefined {
  const value = parseResponse(text);
  return isObject(value) && (value["error"] ?? null) !== null
    ? problem("error_frame", `${says}: ${excerpt(text)}`)
    : undefined;
}
