/**
 * Request bodies in parts of JSON: prompts are prepared as such, and not written for each request. Pure.
 * Members for which the specification has a default are left out.
 */

import type { BodyPart } from "k6/x/assay";
import { VIDEO_PROMPT_MAX } from "../../contract/service.ts";
import type { LoadSettings } from "../process/checked-settings.ts";
import { firstCharacters, textOf, type WrittenPrompt } from "../prompts.ts";

/** The settings that chat requests depend on. */
type ChatSettings = Pick<LoadSettings, "chatModel" | "noUsage" | "extraBody">;

/**
 * Bodies of chat requests: from the messages as JSON, and `max_tokens`. Streams report usage only when they are asked to;
 * a response that is not streamed always has it.
 */
export function chatBodies(
  { chatModel, noUsage = false, extraBody = {} }: ChatSettings,
  stream: boolean,
): (messages: BodyPart, maxTokens: number) => readonly BodyPart[] {
  const streamed = { stream: true, ...(!noUsage && { stream_options: { include_usage: true } }) };
  const members = JSON.stringify({ ...(stream && streamed), ...extraBody }).slice(1);
  const head = `{"model":${JSON.stringify(chatModel)},"messages":`;
  const tail = members === "}" ? members : `,${members}`;
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
