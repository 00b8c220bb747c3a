/**
 * Request bodies in parts of JSON, as which the extension passes prompts on. Pure.
 * Members for which the specification has a default are left out, unless settings give them.
 */

import { choiceOf, draw } from "../../load/inputs/random.ts";
import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import type { Choices } from "../../settings/choices.ts";

/** The settings that chat requests depend on. */
type ChatSettings = Pick<LoadSettings, "chatModel" | "noUsage" | "extraBody">;

/**
 * Bodies of chat requests: from the messages as JSON, and `max_tokens`. Streams report usage only when they are asked to;
 * a response that is not streamed always has it.
 */
export function chatBodies(
  { chatModel, noUsage = false, extraBody = {} }: ChatSettings,
  stream: boolean,
): (messages: string, maxTokens: number) => readonly string[] {
  const streamed = { stream: true, ...(!noUsage && { stream_options: { include_usage: true } }) };
  const members = JSON.stringify({ ...(stream && streamed), ...extraBody }).slice(1);
  const head = `{"model":${JSON.stringify(chatModel)},"messages":`;
  const tail = members === "}" ? members : `,${members}`;
  let limit: number | undefined;
  let end = "";
  return (messages, maxTokens) => {
    if (maxTokens !== limit) {
      limit = maxTokens;
      end = `,"max_tokens":${maxTokens}${tail}`;
    }
    return [head, messages, end];
  };
}

/** Bodies of embedding requests: a single text as a string, several as a list; the specification has both forms. */
export function embeddingBodies(model: string): (texts: readonly string[]) => readonly string[] {
  const head = `{"model":${JSON.stringify(model)},"input":`;
  return (texts) => {
    const single = texts[0];
    if (texts.length === 1 && single !== undefined) return [head, single, "}"];
    const parts = [head];
    for (const text of texts) parts.push(parts.length === 1 ? "[" : ",", text);
    parts.push("]}");
    return parts;
  };
}

/** Bodies of video submissions, from the prompt as JSON and an arrival's settings of the video. */
export function videoBodies(model: string): (prompt: string, settings: VideoSettings) => readonly string[] {
  const head = `{"model":${JSON.stringify(model)},"prompt":`;
  return (prompt, settings) => {
    const members = JSON.stringify(settings).slice(1);
    return [head, prompt, members === "}" ? members : `,${members}`];
  };
}

/** What a video is to be; an absent member is left to the service. */
export interface VideoSettings {
  readonly duration?: number;
  readonly resolution?: string;
  readonly aspect_ratio?: string;
}

/**
 * The settings of an arrival's video: each of those that its workload chooses from.
 * @param number of the arrival among those that take values in turn
 */
export function videoSettingsFor(
  { videoDurations, videoResolutions, videoAspectRatios }: VideoChoices,
  seed: number,
  index: number,
  number: number,
): VideoSettings {
  const chosen = <T extends string | number>(choices: Choices<T>, name: string): T =>
    choiceOf(choices, draw(seed, index, `video ${name}`), number);
  return {
    ...(videoDurations && { duration: chosen(videoDurations, "duration") }),
    ...(videoResolutions && { resolution: chosen(videoResolutions, "resolution") }),
    ...(videoAspectRatios && { aspect_ratio: chosen(videoAspectRatios, "aspect ratio") }),
  };
}

type VideoChoices = Pick<LoadSettings, "videoDurations" | "videoResolutions" | "videoAspectRatios">;
