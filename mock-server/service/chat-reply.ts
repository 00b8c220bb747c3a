/** Plans the reply to a chat request: its tokens, when each is due, and its usage. The two chat routes share it. */

import { NORMAL_FINISH_REASON } from "../../contract/service.ts";
import { MARKER } from "../../lib/marker.ts";
import { hexOf, randomOf } from "../base/seeded-random.ts";
import type { Call } from "./mock-context.ts";
import { estimateTokens, replyTokens } from "./reply-text.ts";
import type { ChatBody } from "./requests.ts";

export interface Reply {
  readonly id: string;
  readonly model: string;
  /** Unix time of the response, in seconds. */
  readonly created: number;
  readonly tokens: readonly string[];
  /** When each token is due, in milliseconds from the arrival. */
  readonly dueMs: readonly number[];
  /** With a capacity: milliseconds from the slot to the first token. */
  readonly slot: { readonly prefillMs?: number };
  readonly finishReason: string;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

const DEFAULT_MODEL = "mock-chat";

/**
 * The reply to a chat request. Token i is due at ttft plus the sum of the i gaps before it; with a capacity, at the
 * prefill of the prompt plus i steps, as if it ran alone.
 */
export function planReply({ key, rules, context }: Call, body: ChatBody): Reply {
  const { seed, timing } = context;
  const model = body.model ?? DEFAULT_MODEL;
  const random = randomOf(seed, "chat", key);
  const wanted = Math.max(1, Math.round(timing.outputTokens(random)));
  const count = rules.ignoresMaxTokens ? wanted : Math.min(wanted, body.max_tokens ?? wanted);
  const marker = MARKER.exec(body.messages?.at(-1)?.content ?? "")?.[0];
  const tokens = replyTokens(count, random);
  const prompt = (body.messages ?? []).reduce((sum, { content }) => sum + estimateTokens(content ?? ""), 0);
  const capacity = context.batch?.capacity;
  let due = capacity === undefined ? timing.ttftMs(random) : capacity.prefillMs * prompt;
  const dueMs = Array.from({ length: count }, (_, i) => {
    if (i > 0) due += capacity === undefined ? timing.itlMs(random) : capacity.stepMs;
    return due;
  });
  return {
    id: `chatcmpl-${hexOf(24, seed, "chat", key, String(context.counters.repetition(key)))}`,
    model,
    created: Math.floor(Date.now() / 1000),
    tokens: marker === undefined ? tokens : [marker, ...tokens.slice(1)],
    dueMs,
    slot: capacity === undefined ? {} : { prefillMs: dueMs[0] ?? 0 },
    finishReason: count < wanted ? "length" : NORMAL_FINISH_REASON,
    usage: { prompt_tokens: prompt, completion_tokens: count, total_tokens: prompt + count },
  };
}
