/** Judges of streamed replies, whose format the specification does not show. */

import type { Exchange } from "../../formats/exchanges.ts";
import { isObject } from "../../lib/json.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";

/** The body is one JSON object with a message in a choice: what the non-streaming mode answers. */
function isWholeCompletion(exchange: Exchange | undefined): boolean {
  const document = documentOf(exchange);
  if (!isObject(document) || !Array.isArray(document["choices"])) return false;
  return document["choices"].some((choice: unknown) => isObject(choice) && isObject(choice["message"]));
}

/** The body is one JSON object, so not a stream of events. */
export const isPlainCompletion = (exchange: Exchange | undefined): boolean => isObject(documentOf(exchange));

/** The reply has bytes and is not the answer of the non-streaming mode. */
export function isStreamed(exchange: Exchange | undefined): Judged {
  const body = exchange?.answer?.body ?? "";
  if (body === "" && exchange?.failure !== undefined)
    return inconclusive(`the stream was cut before its first byte: ${exchange.failure.message}`);
  if (body === "") return broken("with stream true the response is streamed", "the body was empty");
  if (isWholeCompletion(exchange))
    return broken("with stream true the response is streamed", "the target sent one plain completion");
  return holds(`the response came in ${exchange?.answer?.chunks.length} chunks`);
}
