/** The inputs of requests: prompts from the run's file, one per arrival, chosen by the seed. */

import { type Arrival, type BodyPart, Texts } from "k6/x/assay";
import { settings } from "./environment.ts";
import { textOfLength } from "./lengths.ts";
import { type Prompt, textOf, type WrittenPrompt } from "./prompts.ts";
import { draw, pickIndex } from "./random.ts";
import { shared, sharedList } from "./shared-values.ts";

/** Beside the bundle, for a k6 that `assay` does not start; `assay` always names the file. */
const PROMPTS_BESIDE_BUNDLE = "./prompts.jsonl";

const promptsFile = settings.prompts ?? PROMPTS_BESIDE_BUNDLE;

const prompts = sharedList("prompts", ({ parsePrompts }) => parsePrompts(openPrompts(), promptsFile));

/**
 * A piece of each prompt of the file as JSON, made once per process: writing it for each request would cost several
 * times as much as sending it.
 * @param name of the pieces; each use has its own.
 */
export const readyAsJson = (name: string, piece: (prompt: WrittenPrompt) => unknown): Texts =>
  new Texts(name, () => prompts.map((prompt) => JSON.stringify(piece(prompt))));

/** A piece of a prompt as a part of a body: of the file's by its number. */
export const partOf = (prompt: Prompt, piece: (prompt: WrittenPrompt) => unknown): BodyPart =>
  "nth" in prompt ? prompt.nth : JSON.stringify(piece(prompt));

function openPrompts(): string {
  try {
    return open(promptsFile);
  } catch (error) {
    throw new Error(
      `Cannot open the prompts ${promptsFile}: ${error}. Name a file with one JSON object per line in ASSAY_PROMPTS.`,
    );
  }
}

/** Made before the run, only where a trace may state lengths: made during the run, it would delay the first arrivals. */
const corpus =
  settings.arrival.process === "trace" ? shared("corpus", ({ corpusOf }) => corpusOf(prompts.map(textOf))) : undefined;

/**
 * The prompt of an arrival: the same seed and arrival give the same prompt. Where a trace states lengths, the prompt has
 * about that many tokens, and carries the limit of its response.
 * @param nth which of several prompts of one arrival, from 0.
 */
export const promptFor = (arrival: Arrival, nth = 0): Prompt => promptOf(arrival, nth, arrival.inputTokens);

/** Several prompts of one arrival; they share the length that a trace states. */
export const promptsFor = (arrival: Arrival, count: number): readonly Prompt[] => {
  const { inputTokens } = arrival;
  const each = inputTokens === undefined ? undefined : Math.ceil(inputTokens / count);
  return Array.from({ length: count }, (_, nth) => promptOf(arrival, nth, each));
};

function promptOf(arrival: Arrival, nth: number, tokens: number | undefined): Prompt {
  const prompt =
    tokens === undefined
      ? { nth: pickIndex(prompts.length, settings.seed, arrival.index, `prompt ${nth}`) }
      : { prompt: longText(arrival, nth, tokens) };
  return arrival.outputTokens === undefined ? prompt : { ...prompt, maxTokens: arrival.outputTokens };
}

function longText({ index }: Arrival, nth: number, tokens: number): string {
  if (corpus === undefined) throw new Error("Cannot make a prompt of a given length: the run does not replay a trace.");
  return textOfLength(corpus, tokens, draw(settings.seed, index, `prompt ${nth}`));
}
