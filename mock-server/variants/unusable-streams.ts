/** Targets that serve everything but streams: whatever is sent for one must not pass for one. */

import type { Json } from "../../lib/json.ts";
import { jsonResponse, type PlainResponse } from "../base/mock-response.ts";
import { sseEvent } from "../base/sse-event.ts";
import { replaced } from "./transforms.ts";
import type { RequestView, Variant } from "./variant.ts";

const ERROR: Json = { error: { message: "overloaded" } };

const as = (contentType: string, body: string): PlainResponse => ({
  ...jsonResponse(200, body),
  headers: { "content-type": contentType },
});

const fault = (name: string, about: string, by: (request: RequestView) => PlainResponse): Variant => ({
  name,
  kind: "fault",
  about: `a request for a stream returns 200 with ${about}`,
  route: "chat.stream",
  ...replaced(by),
});

export const unusableStreams: readonly Variant[] = [
  fault("stream-error-body", "an error object", () => jsonResponse(200, ERROR)),
  fault("stream-echo", "the body of the request", ({ body }) => jsonResponse(200, body)),
  fault("stream-plain-error", "an error as plain text", () => as("text/plain", "Internal error")),
  fault("stream-blank", "one space", () => as("text/event-stream", " ")),
  fault("stream-id-only", "an object that holds an id only", () => jsonResponse(200, { id: "x" })),
  fault("stream-only-error", "one event, which is an error", () => as("text/event-stream", sseEvent(ERROR))),
];
