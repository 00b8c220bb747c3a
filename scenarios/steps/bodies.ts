/**
 * Request bodies in parts of JSON: prompts are prepared as such, and not written for each request. Pure.
 * Members for which the specification has a default are left out.
 */

import type { BodyPart } from "k6/x/assay";
import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import { firstCharacters, textOf, type WrittenPrompt } from "../prompts.ts";

export interface ChatOptions {
  readonly model: string;
  readonly stream: boolean;
}

/** Bodies of chat requests: from the messages as JSON, and `max_tokens`. */
export function chatBodies({
  model,
  stream,
}: ChatOptions): (messages: BodyPart, maxTokens: number) => readonly BodyPart[] {
  const head = `{"model":${JSON.stringify(model)},"messages":`;
  const tail = stream ? ',"stream":true}' : "}";
  return (messages, maxTokens) => [head, messages, `,"max_tokens":${maxTokens}${tail}`];
}

/** Bodies of embedding requests: a single text as a string, several as a list; the specification has both forms. */
export function embeddingBodies(model: string): (texts: readonly BodyPart[]) => readonly BodyPart[] {
  const head = `{"model":${JSON.stringify(model)},"input":`;
  return (texts) =>
    texts.length === 1
      ? [head, ...texts, "}"]
      : [head, ...texts.flatMap((text, nth) => [nth === 0 ? "[" : ",", text]), "]}"];
}

/** Bodies of video submissions. */
export function videoBodies(model: string): (prompt: BodyPart) => readonly BodyPart[] {
  const head = `{"model":${JSON.stringify(model)},"prompt":`;
  return (prompt) => [head, prompt, "}"];
}

/** A prompt as the text of a video, cut to the length that the service allows. */
export const videoText = (prompt: WrittenPrompt): string => firstCharacters(textOf(prompt), VIDEO_PROMPT_MAX);

/** Number of inputs of an arrival's embedding request: the sizes are used in turn. */
export function batchSizeFor(sizes: readonly number[], index: number): number {
  return sizes[index % sizes.length] ?? 1;
}
