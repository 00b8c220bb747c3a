/** The response of the service without transforms: checks key and body by the rules, then calls the route. */

import type { IncomingHttpHeaders } from "node:http";
import type { Json } from "../../lib/json.ts";
import { errorResponse, type MockResponse, type PlainResponse, type Problem } from "../base/mock-response.ts";
import type { Rules } from "../base/rules.ts";
import type { Call, MockContext } from "./mock-context.ts";
import { type Reading, readChat, readEmbeddings, readVideo } from "./requests.ts";
import type { Match } from "./router.ts";
import { chat } from "./routes/chat.ts";
import { chatStream } from "./routes/chat-stream.ts";
import { embeddings } from "./routes/embeddings.ts";
import { cancelVideo } from "./routes/video-cancel.ts";
import { videoFile } from "./routes/video-file.ts";
import { pollVideo } from "./routes/video-poll.ts";
import { submitVideo } from "./routes/video-submit.ts";

/** A request that has been read. */
export interface ServiceRequest {
  readonly method: string;
  /** Scheme, host and port under which the client reached the mock. */
  readonly origin: string;
  readonly matched: Match;
  readonly headers: IncomingHttpHeaders;
  /** The names of the headers as they were written. */
  readonly headerNames: readonly string[];
  /** The body as text; undefined when it is too large. */
  readonly text: string | undefined;
  /** The body parsed; undefined when it is not JSON. */
  readonly body: Json | undefined;
  /** The random choices for the request are a hash of this. */
  readonly key: string;
  readonly rules: Rules;
  readonly noteTask: (id: string) => void;
}

/** The response by the rules, before any transform. */
export function respondTo(context: MockContext, request: ServiceRequest): MockResponse {
  const { method, origin, matched, headers, headerNames, text, body, key, rules, noteTask } = request;
  if (matched.kind === "wrong-method") return wrongMethod(method, matched.allow);
  if (matched.kind === "video") return videoFile(context, matched.taskId);
  if (matched.kind !== "route") return errorResponse(UNKNOWN_PATH);
  const isKnown = !rules.lowerCaseKeyName || headerNames.includes("authorization");
  const keyProblem = problemOfKey(isKnown ? headers.authorization : undefined, rules, context.apiKeys);
  if (keyProblem !== undefined) return errorResponse(keyProblem);
  if (matched.hasBody && rules.mediaTypeNeeded && headers["content-type"] === undefined)
    return errorResponse(NO_MEDIA_TYPE);
  if (text === undefined) return errorResponse(TOO_LARGE);
  if (matched.hasBody && body === undefined) return errorResponse({ ...NOT_JSON, status: rules.invalidStatus });
  const { route, taskId } = matched;
  return run({ route, key, body: body ?? null, taskId, origin, rules, context, noteTask });
}

function run(call: Call): MockResponse {
  const { route, body, rules } = call;
  switch (route) {
    case "chat":
    case "chat.stream":
      return accepted(readChat(body, rules), (read) =>
        read.stream && !rules.ignoresStream ? chatStream(call, read) : chat(call, read),
      );
    case "embeddings":
      return accepted(readEmbeddings(body, rules), (read) => embeddings(call, read));
    case "video.submit":
      return accepted(readVideo(body, rules), (read) => submitVideo(call, read));
    case "video.poll":
      return pollVideo(call);
    case "video.cancel":
      return cancelVideo(call);
  }
}

function accepted<T>(reading: Reading<T>, then: (value: T) => MockResponse): MockResponse {
  return "problem" in reading ? errorResponse(reading.problem) : then(reading.value);
}

function problemOfKey(
  header: string | undefined,
  { keyNeeded, keyChecked, bareKey }: Rules,
  accepted: readonly string[] | undefined,
): Problem | undefined {
  if (!keyNeeded) return undefined;
  const key = (bareKey ? /^(\S+)$/ : /^Bearer +(\S+) *$/i).exec(header ?? "")?.[1];
  if (key !== undefined && (!keyChecked || accepted === undefined || accepted.includes(key))) return undefined;
  const message = key === undefined ? "no API key: send the header Authorization: Bearer <API_KEY>" : "wrong API key";
  return { status: 401, message, code: "invalid_api_key", param: null };
}

const NOT_JSON: Problem = { status: 400, message: "the body is not JSON", code: "invalid_json", param: null };
const NO_MEDIA_TYPE: Problem = {
  status: 415,
  message: "send Content-Type",
  code: "unsupported_media_type",
  param: null,
};
const TOO_LARGE: Problem = { status: 413, message: "the body is larger than 32 MiB", code: "too_large", param: null };
const UNKNOWN_PATH: Problem = { status: 404, message: "no such path", code: "unknown_path", param: null };

function wrongMethod(method: string, allow: string): PlainResponse {
  const message = `${method} is not allowed here; use ${allow}`;
  const given = errorResponse({ status: 405, message, code: "method_not_allowed", param: null });
  return { ...given, headers: { ...given.headers, allow } };
}
