/** Judges of streamed replies, whose format the specification does not show. */

import { SUCCESS_STATUS } from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject } from "../../lib/json.ts";
import { broken, elsewhere, holds } from "../model/findings.ts";
import { accepted, type Judged, statusIs, wasAccepted } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { isChatStream } from "./recognisable-stream.ts";
import { isSuccess, returned, UNDECIDED_STATUSES } from "./status.ts";

/** The body is one JSON object with a message in a choice: what the non-streaming mode answers. */
function isWholeCompletion(exchange: Exchange | undefined): boolean {
  const document = documentOf(exchange);
  if (!isObject(document) || !Array.isArray(document["choices"])) return false;
  return document["choices"].some((choice: unknown) => isObject(choice) && isObject(choice["message"]));
}

/** The reply to a request without stream true is the response of the non-streaming mode. */
export function isNotStreamed(exchange: Exchange | undefined): Judged {
  if (!isSuccess(exchange)) return elsewhere(returned(exchange));
  if (wasAccepted(exchange)) return holds("the response was one JSON document");
  if (documentOf(exchange) !== undefined) return elsewhere(`${returned(exchange)}, but not with a completion`);
  const stream = isChatStream(exchange);
  return stream.kind === "holds"
    ? broken("the specification streams only when stream is true", stream.observed)
    : elsewhere(`${returned(exchange)}, but neither with a completion nor with a stream`);
}

/** A key that was refused says nothing about the request either. */
const UNDECIDED: readonly number[] = [401, ...UNDECIDED_STATUSES];

/** A request with stream true, which the specification allows, got 200 and what is recognisable as a stream of a chat. */
export function streamServed(exchange: Exchange | undefined): Judged {
  const status = exchange?.answer?.status;
  if (exchange === undefined || status === undefined || UNDECIDED.includes(status))
    return elsewhere(returned(exchange));
  if (!isSuccess(exchange)) return accepted(exchange);
  const found = statusIs(SUCCESS_STATUS.chat, "a request with stream true")([exchange]);
  const stream = found.kind === "holds" ? isChatStream(exchange) : found;
  return stream.kind === "inconclusive" ? elsewhere(stream.why) : stream;
}

/** The reply is a stream of a chat and not the answer of the non-streaming mode. */
export function isStreamed(exchange: Exchange | undefined): Judged {
  if (isWholeCompletion(exchange))
    return broken("with stream true the response is streamed", "the target sent one plain completion");
  const found = isChatStream(exchange);
  if (found.kind !== "holds") return found;
  return holds(`the response came in ${exchange?.answer?.chunks.length} chunks`);
}

/**
 * Judges the format of a stream. What is no stream has no format; one in which nothing is recognisable may be of a wrong
 * format, but not of the right one.
 */
export const formatOfStream =
  (judge: (exchange: Exchange | undefined) => Judged) =>
  (exchange: Exchange | undefined): Judged => {
    if (!isSuccess(exchange)) return elsewhere(returned(exchange));
    const stream = isStreamed(exchange);
    if (stream.kind === "broken") return elsewhere(`it is no stream: ${stream.observed}`);
    const found = judge(exchange);
    return found.kind === "holds" && stream.kind === "inconclusive" ? stream : found;
  };
