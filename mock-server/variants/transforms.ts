/** Transforms that several variants share. */

import { isObject, type Json, type JsonObject, parseJson } from "../../lib/json.ts";
import {
  type Ending,
  errorResponse,
  type Frame,
  type FrameKind,
  type MockResponse,
  type PlainResponse,
  type WholeStream,
} from "../base/mock-response.ts";
import { sseEvent } from "../base/sse-event.ts";
import { type Change, changeAt } from "./change-member.ts";
import type { RequestView } from "./variant.ts";

/** A member of the request's body. */
export const requestMember = (request: RequestView, name: string): Json | undefined =>
  isObject(request.body) ? request.body[name] : undefined;

/** A member of the response's body. */
export const responseMember = (response: PlainResponse, name: string): Json | undefined =>
  isObject(response.body) ? response.body[name] : undefined;

export const isSuccess = ({ status }: PlainResponse): boolean => status < 300;

/** The response to an invalid request. */
export const refused = (message: string): PlainResponse =>
  errorResponse({ status: 400, message, code: "invalid_value", param: null });

/** Changes one member of every successful response. */
export const changed =
  (path: string, change: Change) =>
  (response: PlainResponse): PlainResponse =>
    isSuccess(response) ? { ...response, body: changeAt(response.body, path, change) } : response;

/** Adds members to every successful response; one that it has already stays. */
export const withMembers =
  (members: Readonly<Record<string, Json>>) =>
  (response: PlainResponse): PlainResponse =>
    isSuccess(response) && isObject(response.body) ? { ...response, body: { ...members, ...response.body } } : response;

/** Gives every successful response another status. */
export const successStatus =
  (status: number) =>
  (response: PlainResponse): PlainResponse =>
    isSuccess(response) ? { ...response, status } : response;

/** Returns another response to every request, streams too. */
export function replaced(by: (request: RequestView) => PlainResponse) {
  const replace = (_: MockResponse, request: RequestView): MockResponse => by(request);
  return { transform: replace, transformStream: replace };
}

/** Returns the same response to every request, streams too. */
export const always = (response: PlainResponse) => replaced(() => response);

/** Refuses a request when `when` holds, streams too. */
export function refuseWhen(when: (request: RequestView) => boolean, message: string) {
  const refuse = <T extends MockResponse>(response: T, request: RequestView): MockResponse =>
    when(request) ? refused(message) : response;
  return { transform: refuse, transformStream: refuse };
}

/** Returns a server error when `when` holds, streams too. */
export function failWhen(when: (request: RequestView) => boolean) {
  const failed = errorResponse({ status: 500, message: "the service failed", code: "internal_error", param: null });
  const fail = <T extends MockResponse>(response: T, request: RequestView): MockResponse =>
    when(request) ? failed : response;
  return { transform: fail, transformStream: fail };
}

/** Adds headers to every response, streams too. */
export function withHeaders(added: Readonly<Record<string, string>>) {
  const add = <T extends MockResponse>(response: T): T => ({ ...response, headers: { ...response.headers, ...added } });
  return { transform: add, transformStream: add };
}

/** Gives every error another form, made of its message and status. */
export const errorsAs =
  (contentType: string, form: (message: string, status: number) => Json) =>
  (response: PlainResponse): PlainResponse => {
    if (isSuccess(response)) return response;
    const error = responseMember(response, "error");
    const message = isObject(error) && typeof error["message"] === "string" ? error["message"] : "request refused";
    const headers = { ...response.headers, "content-type": contentType };
    return { ...response, headers, body: form(message, response.status) };
  };

/** Bytes of a frame as text. */
export const textOf = (frame: Frame): string => frame.bytes.toString();

/** A frame that contains no token. */
export const extra = (atMs: number, bytes: string, raw = false): Frame => ({ atMs, kind: "other", bytes, raw });

/** Changes the text of each frame of a stream. */
export const eachFrame =
  (change: (text: string, frame: Frame, at: number) => string) =>
  (stream: WholeStream): WholeStream => ({
    ...stream,
    frames: stream.frames.map((frame, at) => ({ ...frame, bytes: change(textOf(frame), frame, at) })),
  });

/** Changes the chunk of each frame of a stream that holds one. */
export const eachChunk = (change: (chunk: JsonObject, frame: Frame, at: number) => Json) =>
  eachFrame((text, frame, at) => {
    const chunk = text.startsWith("data: {") ? parseJson(text.slice("data: ".length)) : undefined;
    return isJsonObject(chunk) ? sseEvent(change(chunk, frame, at)) : text;
  });

/** What `JSON.parse` makes is JSON. */
const isJsonObject = (value: unknown): value is JsonObject => isObject(value);

/** Changes one member of each chunk of a stream, by the path of the interface. */
export const changedChunks = (path: string, change: Change) => eachChunk((chunk) => changeAt(chunk, path, change));

/** Leaves the frames of some kinds out. */
export const withoutFrames =
  (...kinds: readonly FrameKind[]) =>
  (stream: WholeStream): WholeStream => ({
    ...stream,
    frames: stream.frames.filter(({ kind }) => !kinds.includes(kind)),
  });

/** Sends the frames of a kind again. */
export const twice =
  (kind: FrameKind) =>
  (stream: WholeStream): WholeStream => ({
    ...stream,
    frames: stream.frames.flatMap((frame) => (frame.kind === kind ? [frame, frame] : [frame])),
  });

/** The frames before the one with the middle token. */
export function firstHalf({ frames }: WholeStream): readonly Frame[] {
  const contents = frames.filter(({ kind }) => kind === "content");
  const middle = contents[contents.length >> 1];
  return middle === undefined ? [] : frames.slice(0, frames.indexOf(middle));
}

/** When the last of some frames is due. */
export const lastMs = (frames: readonly Frame[]): number => frames.at(-1)?.atMs ?? 0;

/** Changes the text of the frame with the middle token. */
export const middleFrame =
  (change: (text: string) => string) =>
  (stream: WholeStream): WholeStream => {
    const at = firstHalf(stream).length;
    const frames = stream.frames.map((frame, i) => (i === at ? { ...frame, bytes: change(textOf(frame)) } : frame));
    return { ...stream, frames };
  };

/** Sends half of the tokens, then `last` if there is one, and ends the stream like `ending`. */
export const stopHalfway =
  (ending: Ending, last?: string, raw?: boolean) =>
  (stream: WholeStream): WholeStream => {
    const frames = firstHalf(stream);
    return { ...stream, ending, frames: last === undefined ? frames : [...frames, extra(lastMs(frames), last, raw)] };
  };
