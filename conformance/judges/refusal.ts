/** Judges of requests that must not be served. A status alone says nothing: an error may come with 200, too. */

import type { Exchange, Exchanges } from "../../formats/exchanges.ts";
import { broken, elsewhere, holds, inconclusive } from "../model/findings.ts";
import { contentOf, errorOf, type Judged, wasAccepted } from "./acceptance.ts";
import { errorAlone, isChatStream } from "./recognisable-stream.ts";
import { violatedRule } from "./request-rules.ts";
import { isSuccess, returned } from "./status.ts";

/** Whether a request got what it asks for: the response of its endpoint, or a stream of a chat that does not fail before its reply. */
export const wasServed = (exchange: Exchange | undefined): boolean =>
  wasAccepted(exchange) ||
  (/\/chat\/completions$/.test(exchange?.request.url ?? "") &&
    isChatStream(exchange).kind === "holds" &&
    errorAlone(exchange) === undefined);

/** A success without the response that was asked for: it shows neither that the request was served nor that it was not. */
export function neitherServedNorRefused(exchange: Exchange | undefined): Judged {
  const error = isChatStream(exchange).kind === "holds" ? errorAlone(exchange) : undefined;
  const content =
    error === undefined
      ? `${contentOf(exchange)}${errorOf(exchange)}`
      : `a stream that failed before its reply: ${error}`;
  return inconclusive(`${returned(exchange)} with ${content}, which is neither acceptance nor refusal`);
}

/** A status that says that the server failed; 503 asks to try again later. */
export const isServerError = (exchange: Exchange | undefined): boolean => {
  const status = exchange?.answer?.status ?? 0;
  return status >= 500 && status !== 503;
};

/** Times that a request is sent whose response is a server error. */
export const SENT_IN_ALL = 3;

/**
 * The request was refused for the field in which it differs from its control: any 4xx but those that mean something else, or a
 * server error each time, since statuses of errors are not specified.
 * @param confirmed responses to the same request, where the first was a server error
 */
export function refused(exchange: Exchange | undefined, control?: Exchange, confirmed: Exchanges = []): Judged {
  const status = exchange?.answer?.status ?? 0;
  if (isSuccess(exchange)) {
    if (!wasServed(exchange)) return neitherServedNorRefused(exchange);
    const { statement, sent } = violatedRule(exchange, control);
    return broken(statement, `the target accepted ${sent} with ${status}`);
  }
  if (status === 401) return elsewhere("the target returned 401, which does not tell whether the request is accepted");
  if (status >= 400 && status < 500) return holds(`the target returned ${status}`);
  const all = [exchange, ...confirmed];
  if (!isServerError(exchange) || all.length < SENT_IN_ALL)
    return inconclusive(`${returned(exchange)}, which is neither acceptance nor refusal`);
  const failed = all.filter(isServerError).length;
  return failed === all.length
    ? holds(`the target returned ${status} three times of three`)
    : inconclusive(
        `the target returned ${status} in ${failed} of ${all.length} times, which is neither acceptance nor refusal`,
      );
}
