/** Replies of models that reason first. */

import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Frame, PlainResponse, WholeStream } from "../base/mock-response.ts";
import { changed, extra, textOf } from "./transforms.ts";
import { permitted, type Variant } from "./variant.ts";

const BOTH = ["chat", "chat.stream"] as const;

/** How many of the tokens of a reply are reasoning: a quarter, which come first. */
const reasoningOf = (tokens: number): number => Math.floor(tokens / 4);

const COMPLETION_TOKENS = /("completion_tokens":\d+)/;

/** States in the usage how many of the output tokens are reasoning. */
const withDetails = (text: string, reasoning: number): string =>
  text.replace(COMPLETION_TOKENS, `$1,"completion_tokens_details":{"reasoning_tokens":${reasoning}}`);

/**
 * Makes reasoning of the first tokens of a stream.
 * @param shown the frame of a token of reasoning; undefined: it is not sent
 */
const streamedReasoning =
  (shown: (frame: Frame) => Frame | undefined) =>
  (stream: WholeStream): WholeStream => {
    const reasoning = reasoningOf(stream.frames.filter(({ kind }) => kind === "content").length);
    let left = reasoning;
    const frames = stream.frames.flatMap((frame) => {
      if (frame.kind === "usage") return [{ ...frame, bytes: withDetails(textOf(frame), reasoning) }];
      if (frame.kind !== "content" || left === 0) return [frame];
      left -= 1;
      return shown(frame) ?? [];
    });
    return { ...stream, frames };
  };

const asReasoning = (frame: Frame): Frame =>
  extra(frame.atMs, textOf(frame).replace('"delta":{"content":', '"delta":{"reasoning_content":'));

/** Makes reasoning of the first tokens of a completion, each of which is one word. */
function wholeReasoning(shown: boolean): (response: PlainResponse) => PlainResponse {
  const message = changed("choices[].message", (value) => (isObject(value) ? divided(value, shown) : value));
  const usage = changed("usage", (value) => {
    if (!isObject(value)) return value;
    const reasoning_tokens = reasoningOf(Number(value["completion_tokens"]));
    return { ...value, completion_tokens_details: { reasoning_tokens } };
  });
  return (response) => usage(message(response));
}

function divided(message: JsonObject, shown: boolean): JsonObject {
  const words = String(message["content"]).split(" ");
  const reasoning = words.splice(0, reasoningOf(words.length)).join(" ");
  return { ...message, content: words.join(" "), ...(shown && { reasoning_content: reasoning }) };
}

export const reasoning: readonly Variant[] = [
  permitted("reasoning", BOTH, "a reply begins with reasoning, in reasoning_content, which usage counts", {
    faultName: "chat-reasoning",
    transform: wholeReasoning(true),
    transformStream: streamedReasoning(asReasoning),
  }),
  permitted("hidden-reasoning", BOTH, "a reply begins with reasoning, which only usage shows", {
    faultName: "chat-hidden-reasoning",
    transform: wholeReasoning(false),
    transformStream: streamedReasoning(() => undefined),
  }),
];
