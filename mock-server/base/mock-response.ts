/** What goes back to a client: one JSON (or text) answer, or a script of frames at given times. */

import { JSON_MEDIA_TYPE } from "../../contract/service.ts";
import type { Json } from "../../lib/json.ts";

/** How the bytes of an answer end: well, cut before their framing ends, by a reset, never, or without bound. */
export type Ending = "end" | "cut" | "reset" | "hang" | "endless";

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text is sent as it is; anything else as JSON. */
  readonly body: Json;
  /** When it is sent, in milliseconds from the arrival of the request. */
  readonly atMs: number;
  /** How the exchange ends instead of well; nothing is sent before a reset or a hang. */
  readonly ending?: Ending;
  /** Takes a slot; milliseconds from there to its first token. Absent: takes none. */
  readonly prefillMs?: number;
}

export type FrameKind = "role" | "content" | "finish" | "usage" | "done" | "other";

export interface Frame {
  /** When it is written, in milliseconds from the arrival of the request. */
  readonly atMs: number;
  readonly kind: FrameKind;
  readonly bytes: string | Buffer;
  /** Written to the socket itself, past the framing of HTTP. */
  readonly raw?: boolean;
}

/** Frames that are made when they are asked for: those to come of hundreds of open streams would fill the heap. */
export interface Frames {
  readonly length: number;
  /** As of an array: a negative index counts from the end. */
  at(index: number): Frame | undefined;
}

export interface StreamedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersAtMs: number;
  readonly frames: Frames;
  readonly ending: Ending;
  /** Tokens of content, for the ledger. */
  readonly tokens: number;
  /** Takes a slot; milliseconds from there to its first token. Absent: takes none. */
  readonly prefillMs?: number;
}

/** A script whose frames are all made, as what changes them takes it. */
export interface WholeStream extends StreamedResponse {
  readonly frames: readonly Frame[];
}

/** What a route answers. */
export type MockResponse = PlainResponse | StreamedResponse;

export const isStreamed = (response: MockResponse): response is StreamedResponse => "frames" in response;

/** The script with every frame made. */
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

/** A JSON answer. */
export function jsonResponse(status: number, body: Json, atMs = 0): PlainResponse {
  return { status, headers: { "content-type": JSON_MEDIA_TYPE }, body, atMs };
}

/** Why a request is refused. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  /** The field that is wrong, where there is one. */
  readonly param: string | null;
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  404: "not_found_error",
  409: "conflict_error",
};

/** The refusal of a request, in the form that is usual for the widely used interfaces. */
export function errorResponse({ status, message, code, param }: Problem): PlainResponse {
  const type = TYPES[status] ?? "invalid_request_error";
  return jsonResponse(status, { error: { message, type, code, param } });
}
