/** What several faults need: members of the request, refusals, changes of bodies and of frames. */

import { isObject, type Json } from "../../lib/json.ts";
import {
  errorResponse,
  type Frame,
  type MockResponse,
  type PlainResponse,
  type WholeStream,
} from "../base/mock-response.ts";
import { type Change, changeAt } from "./change-member.ts";
import type { RequestView } from "./variant.ts";

/** A member of the request's body. */
export const requestMember = (request: RequestView, member: string): Json | undefined =>
  isObject(request.body) ? request.body[member] : undefined;

/** A member of an answer's body. */
export const member = (response: PlainResponse, name: string): Json | undefined =>
  isObject(response.body) ? response.body[name] : undefined;

/** Whether the answer serves what was asked for. */
export const served = ({ status }: PlainResponse): boolean => status < 300;

/** A refusal as of an invalid request. */
export const refused = (message: string): PlainResponse =>
  errorResponse({ status: 400, message, code: "invalid_value", param: null });

/** Changes one member of every answer that serves; an answer in another state is left alone. */
export const changed =
  (path: string, change: Change) =>
  (response: PlainResponse): PlainResponse =>
    served(response) ? { ...response, body: changeAt(response.body, path, change) } : response;

/** Refuses what is asked for when `when` holds, streams too. */
export function refuseWhen(when: (request: RequestView) => boolean, message: string) {
  const change = <T extends MockResponse>(response: T, request: RequestView): MockResponse =>
    when(request) ? refused(message) : response;
  return { transform: change, transformStream: change };
}

/** Changes the bytes of each frame of a stream. */
export const eachFrame =
  (change: (frame: Frame) => string | Buffer) =>
  (stream: WholeStream): WholeStream => ({
    ...stream,
    frames: stream.frames.map((frame) => ({ ...frame, bytes: change(frame) })),
  });

/** The frames before the middle content; a stream that breaks breaks there. */
export function firstHalf({ frames }: WholeStream): readonly Frame[] {
  const contents = frames.filter(({ kind }) => kind === "content");
  const middle = contents[contents.length >> 1];
  return middle === undefined ? [] : frames.slice(0, frames.indexOf(middle));
}

/** When the last of some frames is due. */
export const lastMs = (frames: readonly Frame[]): number => frames.at(-1)?.atMs ?? 0;

/** Bytes of a frame as text. */
export const textOf = (frame: Frame): string => frame.bytes.toString();

/** A frame that no token stands for. */
export const extra = (atMs: number, bytes: string, raw = false): Frame => ({ atMs, kind: "other", bytes, raw });

/** Gives every error another form, made of its message and status. */
export const insteadOfErrors =
  (type: string, form: (message: string, status: number) => Json) =>
  (response: PlainResponse): PlainResponse =>
    served(response)
      ? response
      : {
          ...response,
          headers: { ...response.headers, "content-type": type },
          body: form(messageOf(response.body), response.status),
        };

function messageOf(body: Json): string {
  const error = isObject(body) ? body["error"] : undefined;
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : "request refused";
}
