/** Judges of streamed replies, whose format the specification does not show. */

import type { Exchange } from "../../formats/exchanges.ts";
import { describe, isObject } from "../../lib/json.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import { type Judged, wasAccepted } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { isSuccess, returned } from "./status.ts";

/** The body is one JSON object with a message in a choice: what the non-streaming mode answers. */
function isWholeCompletion(exchange: Exchange | undefined): boolean {
  const document = documentOf(exchange);
  if (!isObject(document) || !Array.isArray(document["choices"])) return false;
  return document["choices"].some((choice: unknown) => isObject(choice) && isObject(choice["message"]));
}

/** The reply to a request without stream true is the response of the non-streaming mode. */
export function isNotStreamed(exchange: Exchange | undefined): Judged {
  if (!isSuccess(exchange)) return inconclusive(returned(exchange));
  if (wasAccepted(exchange)) return holds("the response was one JSON document");
  if (documentOf(exchange) !== undefined) return inconclusive(`${returned(exchange)}, but not with a completion`);
  return broken("the specification streams only when stream is true", "the response was not one plain JSON document");
}

/** Text that every reader of a stream would take for a page of a gateway, not for a reply. */
const PAGE = /^\s*<(?:!doctype|html|\?xml)\b/i;

/** The reply has bytes and is not the answer of the non-streaming mode. */
export function isStreamed(exchange: Exchange | undefined): Judged {
  const body = exchange?.answer?.body ?? "";
  if (body === "" && exchange?.failure !== undefined)
    return inconclusive(`the stream was cut before its first byte: ${exchange.failure.message}`);
  if (body === "") return broken("with stream true the response is streamed", "the body was empty");
  if (PAGE.test(body))
    return broken("with stream true the response is streamed", "the target sent an HTML or XML page");
  const document = documentOf(exchange);
  if (document !== undefined && !(isObject(document) && Object.keys(document).length > 0))
    return broken("with stream true the response is streamed", `the target sent ${describe(document)} alone`);
  if (isWholeCompletion(exchange))
    return broken("with stream true the response is streamed", "the target sent one plain completion");
  return holds(`the response came in ${exchange?.answer?.chunks.length} chunks`);
}
