/** POST /v1/chat/completions without streaming: the whole reply, when its last token would have been due. */

import { ASSISTANT_ROLE, SUCCESS_STATUS } from "../../../contract/service.ts";
import { jsonResponse, type PlainResponse } from "../../base/mock-response.ts";
import { planReply } from "../chat-reply.ts";
import type { Call } from "../mock-context.ts";
import type { ChatBody } from "../requests.ts";

/** The chat completion response. */
export function chat(call: Call, body: ChatBody): PlainResponse {
  const { id, model, created, tokens, dueMs, slot, finishReason, usage } = planReply(call, body);
  const message = { role: ASSISTANT_ROLE, content: tokens.join(""), refusal: null };
  const completion = {
    id,
    object: "chat.completion",
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
  };
  return { ...jsonResponse(SUCCESS_STATUS.chat, completion, dueMs.at(-1) ?? 0), ...slot };
}
