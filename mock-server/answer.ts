/** What goes back to a client: one JSON (or text) answer, or a script of frames at given times. */

import { JSON_MEDIA_TYPE } from "../contract/service.ts";
import type { Json } from "./json.ts";

/** How the bytes of an answer end: well, cut before their framing ends, by a reset, never, or without bound. */
export type Ending = "end" | "cut" | "reset" | "hang" | "endless";

export interface Answer {
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
  /** A function makes them when they are written: hundreds of open streams would else hold every byte to come. */
  readonly bytes: string | Buffer | (() => string);
  /** Written to the socket itself, past the framing of HTTP. */
  readonly raw?: boolean;
}

/** The bytes of a frame, made if need be. */
export const bytesOf = ({ bytes }: Frame): string | Buffer => (typeof bytes === "function" ? bytes() : bytes);

export interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersAtMs: number;
  readonly frames: readonly Frame[];
  readonly ending: Ending;
  /** Tokens of content, for the ledger. */
  readonly tokens: number;
  /** Takes a slot; milliseconds from there to its first token. Absent: takes none. */
  readonly prefillMs?: number;
}

/** What a route answers. */
export type Outcome = Answer | Script;

export const isScript = (outcome: Outcome): outcome is Script => "frames" in outcome;

/** A JSON answer. */
export function answer(status: number, body: Json, atMs = 0): Answer {
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
export function refusal({ status, message, code, param }: Problem): Answer {
  const type = TYPES[status] ?? "invalid_request_error";
  return answer(status, { error: { message, type, code, param } });
}
