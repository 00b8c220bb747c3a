/** What several faults need: members of the request, refusals, changes of bodies and of frames. */

import { isObject, type Json } from "../../lib/json.ts";
import { type Answer, type Frame, type Outcome, refusal, type WholeScript } from "../base/mock-response.ts";
import { type Change, changeAt } from "./change-member.ts";
import type { Seen } from "./variant.ts";

/** A member of the request's body. */
export const asked = (seen: Seen, member: string): Json | undefined =>
  isObject(seen.body) ? seen.body[member] : undefined;

/** A member of an answer's body. */
export const member = (answer: Answer, name: string): Json | undefined =>
  isObject(answer.body) ? answer.body[name] : undefined;

/** Whether the answer serves what was asked for. */
export const served = ({ status }: Answer): boolean => status < 300;

/** A refusal as of an invalid request. */
export const refused = (message: string): Answer =>
  refusal({ status: 400, message, code: "invalid_value", param: null });

/** Changes one member of every answer that serves; an answer in another state is left alone. */
export const changed =
  (path: string, change: Change) =>
  (answer: Answer): Answer =>
    served(answer) ? { ...answer, body: changeAt(answer.body, path, change) } : answer;

/** Refuses what is asked for when `when` holds, streams too. */
export function refuseWhen(when: (seen: Seen) => boolean, message: string) {
  const change = <T extends Outcome>(outcome: T, seen: Seen): Outcome => (when(seen) ? refused(message) : outcome);
  return { damage: change, stream: change };
}

/** Changes the bytes of each frame of a stream. */
export const eachFrame =
  (change: (frame: Frame) => string | Buffer) =>
  (script: WholeScript): WholeScript => ({
    ...script,
    frames: script.frames.map((frame) => ({ ...frame, bytes: change(frame) })),
  });

/** The frames before the middle content; a stream that breaks breaks there. */
export function firstHalf({ frames }: WholeScript): readonly Frame[] {
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
  (answer: Answer): Answer =>
    served(answer)
      ? answer
      : {
          ...answer,
          headers: { ...answer.headers, "content-type": type },
          body: form(messageOf(answer.body), answer.status),
        };

function messageOf(body: Json): string {
  const error = isObject(body) ? body["error"] : undefined;
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : "request refused";
}
