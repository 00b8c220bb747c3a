/** What users say: prompts from the run's file, one an arrival, chosen by the seed. */

import { SharedArray } from "k6/data";
import type { Arrival } from "k6/x/assay";
import { pickIndex } from "./chance.ts";
import { settings } from "./environment.ts";
import { type Prompt, parsePrompts } from "./prompts.ts";

/** Beside the bundle, for a k6 that `assay` does not start; `assay` always names the file. */
const PROMPTS_BESIDE_BUNDLE = "./prompts.jsonl";

const promptsFile = settings.prompts ?? PROMPTS_BESIDE_BUNDLE;

// A SharedArray exists once a process; an ordinary array would exist once a virtual user.
const prompts = new SharedArray<Prompt>("prompts", () => [...parsePrompts(openPrompts(), promptsFile)]);

function openPrompts(): string {
  try {
    return open(promptsFile);
  } catch (error) {
    throw new Error(
      `Cannot open the prompts ${promptsFile}: ${error}. Name a file of one JSON object a line by ASSAY_PROMPTS.`,
    );
  }
}

/**
 * The prompt of an arrival: the same seed and arrival give the same prompt.
 * @param nth which of several prompts of one arrival, from 0.
 */
export function promptFor(arrival: Arrival, nth = 0): Prompt {
  const prompt = prompts[pickIndex(prompts.length, settings.seed, arrival.index, `prompt ${nth}`)];
  if (prompt === undefined) throw new RangeError(`Cannot choose a prompt: ${promptsFile} holds none.`);
  return prompt;
}

/** Several prompts of one arrival. */
export const promptsFor = (arrival: Arrival, count: number): readonly Prompt[] =>
  Array.from({ length: count }, (_, nth) => promptFor(arrival, nth));
