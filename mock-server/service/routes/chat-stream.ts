/**
 * POST /v1/chat/completions with streaming: server-sent events, one chunk per token. The specification does not define
 * the format; this is the one of the compatible interface that it names.
 */

import { ASSISTANT_ROLE, SUCCESS_STATUS } from "../../../contract/service.ts";
import { isObject, type Json } from "../../../lib/json.ts";
import type { Frame, FrameKind, Frames, StreamedResponse } from "../../base/mock-response.ts";
import { sseEvent } from "../../base/sse-event.ts";
import { planReply, type Reply } from "../chat-reply.ts";
import type { Call } from "../mock-context.ts";
import { quoted } from "../reply-text.ts";
import type { ChatBody } from "../requests.ts";

const STREAM_MEDIA_TYPE = "text/event-stream";
const STREAM_HEADERS = { "content-type": STREAM_MEDIA_TYPE, "cache-control": "no-cache" } as const;
const DONE_EVENT = "data: [DONE]\n\n";

/** Stands for the content in the event from which all others are made; no model has this name. */
const PLACEHOLDER = "\u0000content\u0000";

/** Plans the stream: headers and role at once, content i at its due time, the end right after the last content. */
export function chatStream(call: Call, body: ChatBody): StreamedResponse {
  const reply = planReply(call, body);
  return {
    status: SUCCESS_STATUS.chat,
    headers: STREAM_HEADERS,
    headersAtMs: 0,
    frames: framesOf(reply, isObject(body.stream_options) && body.stream_options["include_usage"] === true),
    ending: "end",
    tokens: reply.tokens.length,
    ...reply.slot,
  };
}

/** The frames of a reply; a content frame is made on demand, from parts that are made once. */
function framesOf({ id, model, created, tokens, dueMs, finishReason, usage }: Reply, includesUsage: boolean): Frames {
  const base = { id, object: "chat.completion.chunk", created, model };
  const lastMs = dueMs.at(-1) ?? 0;
  const frame = (kind: FrameKind, atMs: number, bytes: string): Frame => ({ kind, atMs, bytes });
  const delta = (change: Json, finish: string | null = null) =>
    sseEvent({ ...base, choices: [{ index: 0, delta: change, finish_reason: finish }] });

  const [before = "", after = ""] = delta({ content: PLACEHOLDER }).split(JSON.stringify(PLACEHOLDER));
  const opening = frame("role", 0, delta({ role: ASSISTANT_ROLE, content: "" }));
  const closing = [
    frame("finish", lastMs, delta({}, finishReason)),
    ...(includesUsage ? [frame("usage", lastMs, sseEvent({ ...base, choices: [], usage }))] : []),
    frame("done", lastMs, DONE_EVENT),
  ];
  const length = 1 + tokens.length + closing.length;
  const at = (index: number): Frame | undefined => {
    const i = (index < 0 ? length + index : index) - 1;
    const token = tokens[i];
    if (token !== undefined) return frame("content", dueMs[i] ?? lastMs, before + quoted(token) + after);
    return i === -1 ? opening : closing[i - tokens.length];
  };
  return { length, at };
}
