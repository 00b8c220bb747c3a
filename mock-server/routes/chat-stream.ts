/**
 * POST /v1/chat/completions with streaming: server-sent events, a chunk a token. The document does not show the
 * format; this is the one of the widely used interface that it names.
 */

import { ASSISTANT_ROLE, SUCCESS_STATUS } from "../../contract/service.ts";
import type { Frame, FrameKind, Script } from "../answer.ts";
import type { Json } from "../json.ts";
import { planReply } from "../reply.ts";
import type { ChatBody } from "../requests.ts";
import type { Call } from "../world.ts";

const STREAM_MEDIA_TYPE = "text/event-stream";
const STREAM_HEADERS = { "content-type": STREAM_MEDIA_TYPE, "cache-control": "no-cache" } as const;
const DONE_EVENT = "data: [DONE]\n\n";

/** Stands for the content in an event that serves as the form of all others; no model is named so. */
const HOLE = "\u0000content\u0000";

/** One event of a stream. */
export const event = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;

/** Plans the stream: headers and role at once, content i at its due time, the end right after the last content. */
export function chatStream(call: Call, body: ChatBody): Script {
  const { id, model, created, tokens, dueMs, slot, finishReason, usage } = planReply(call, body);
  const base = { id, object: "chat.completion.chunk", created, model };
  const lastMs = dueMs.at(-1) ?? 0;
  const frame = (kind: FrameKind, atMs: number, bytes: Frame["bytes"]): Frame => ({ kind, atMs, bytes });
  const delta = (change: Json, finish: string | null = null) =>
    event({ ...base, choices: [{ index: 0, delta: change, finish_reason: finish }] });

  const [before = "", after = ""] = delta({ content: HOLE }).split(JSON.stringify(HOLE));
  const frames = [frame("role", 0, delta({ role: ASSISTANT_ROLE, content: "" }))];
  tokens.forEach((content, i) => {
    frames.push(frame("content", dueMs[i] ?? lastMs, () => before + JSON.stringify(content) + after));
  });
  frames.push(frame("finish", lastMs, delta({}, finishReason)));
  if (body.stream_options?.include_usage === true) {
    frames.push(frame("usage", lastMs, event({ ...base, choices: [], usage })));
  }
  frames.push(frame("done", lastMs, DONE_EVENT));
  return {
    status: SUCCESS_STATUS.chat,
    headers: STREAM_HEADERS,
    headersAtMs: 0,
    frames,
    ending: "end",
    tokens: tokens.length,
    ...slot,
  };
}
