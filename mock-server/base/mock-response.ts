/** What the mock returns: one JSON (or text) body, or a stream of frames at given times. */

import { JSON_MEDIA_TYPE } from "../../contract/service.ts";
import type { Json } from "../../lib/json.ts";

/** How a response ends: normally, cut before its HTTP framing ends, by a reset, never, or with bytes without end. */
export type Ending = "end" | "cut" | "reset" | "hang" | "endless";

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body: Json;
  /** Sent in place of the body. */
  readonly bytes?: Buffer;
  /** When it is sent, in milliseconds from the arrival of the request. */
  readonly atMs: number;
  /** How the response ends instead of normally; nothing is sent before a reset or a hang. */
  readonly ending?: Ending;
  /** Milliseconds from slot to first token; absent when the response needs no slot. */
  readonly prefillMs?: number;
}

export type FrameKind = "role" | "content" | "finish" | "usage" | "done" | "other";

export interface Frame {
  /** When it is written, in milliseconds from the arrival of the request. */
  readonly atMs: number;
  readonly kind: FrameKind;
  readonly bytes: string | Buffer;
  /** Written to the socket directly, without HTTP framing. */
  readonly raw?: boolean;
}

/** Frames that are made on demand: all future frames of hundreds of open streams would fill the heap. */
export interface Frames {
  readonly length: number;
  /** As for an array, a negative index counts from the end. */
  at(index: number): Frame | undefined;
}

export interface StreamedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersAtMs: number;
  readonly frames: Frames;
  readonly ending: Ending;
  /** Tokens of content, for the ground truth. */
  readonly tokens: number;
  /** Milliseconds from slot to first token; absent when the response needs no slot. */
  readonly prefillMs?: number;
}

/** A stream with all frames made, as transforms take it. */
export interface WholeStream extends StreamedResponse {
  readonly frames: readonly Frame[];
}

/** What a route returns. */
export type MockResponse = PlainResponse | StreamedResponse;

export const isStreamed = (response: MockResponse): response is StreamedResponse => "frames" in response;

/** The stream with every frame made. */
export const withAllFrames = (stream: StreamedResponse): WholeStream => ({
  ...stream,
  frames: [...framesFrom(stream.frames, 0)],
});

/** The frames from an index on. */
export function* framesFrom(frames: Frames, start: number): Generator<Frame> {
  for (let i = start; i < frames.length; i++) {
    const frame = frames.at(i);
    if (frame !== undefined) yield frame;
  }
}

/** A response with JSON as its body. */
export function jsonResponse(status: number, body: Json, atMs = 0): PlainResponse {
  return { status, headers: { "content-type": JSON_MEDIA_TYPE }, body, atMs };
}

/** Why a request is refused. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  /** The invalid field, if there is one. */
  readonly param: string | null;
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  404: "not_found_error",
  409: "conflict_error",
  429: "rate_limit_error",
};

/** The response to a refused request, in the form of the compatible interface. */
export function errorResponse({ status, message, code, param }: Problem): PlainResponse {
  const type = TYPES[status] ?? "invalid_request_error";
  return jsonResponse(status, { error: { message, type, code, param } });
}
