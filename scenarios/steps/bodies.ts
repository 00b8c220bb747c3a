/** Request bodies, made from prompts. Pure. Members that the document gives a default are left to it. */

import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import { firstCharacters, messagesOf, type Prompt, textOf } from "../prompts.ts";

export interface ChatOptions {
  readonly model: string;
  readonly maxTokens: number;
  readonly stream: boolean;
}

/** Body of a chat request; a prompt may bring its own bound of the answer. */
export const chatBody = (prompt: Prompt, { model, maxTokens, stream }: ChatOptions): string =>
  JSON.stringify({
    model,
    messages: messagesOf(prompt),
    max_tokens: prompt.maxTokens ?? maxTokens,
    ...(stream ? { stream } : {}),
  });

/** Body of an embedding request: a single text as a string, several as a list; both forms are in the document. */
export function embeddingsBody(texts: readonly string[], model: string): string {
  return JSON.stringify({ model, input: texts.length === 1 ? texts[0] : texts });
}

/** Body of a video submission; a longer prompt is cut to what the service allows. */
export const videoBody = (prompt: Prompt, model: string): string =>
  JSON.stringify({ model, prompt: firstCharacters(textOf(prompt), VIDEO_PROMPT_MAX) });

/** Inputs of an arrival's embedding request: the sizes are taken in turn. */
export function batchSizeFor(sizes: readonly number[], index: number): number {
  return sizes[index % sizes.length] ?? 1;
}
