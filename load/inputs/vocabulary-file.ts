/** The words of prompts with their tokens, as the command line counted them for a run: a file beside the bundle. Pure. */

import { isObject, parseJson } from "../../lib/json.ts";
import { MADE_CHARACTERS_PER_TOKEN } from "../../lib/text.ts";
import type { Vocabulary } from "./words.ts";

/** Its name in the result folder. */
export const VOCABULARY_FILE = "words.json";

export const vocabularyText = ({ words, costs }: Vocabulary): string => `${JSON.stringify({ words, costs })}\n`;

/** Reads what `vocabularyText` wrote. @throws Error for any other text */
export function parseVocabulary(text: string): Vocabulary {
  const value = parseJson(text);
  const { words, costs } = isObject(value) ? value : {};
  const areWords = Array.isArray(words) && words.every((word) => typeof word === "string");
  const areCosts = Array.isArray(costs) && costs.every((cost) => typeof cost === "number");
  if (areWords && areCosts) return { words, costs, charactersPerToken: MADE_CHARACTERS_PER_TOKEN };
  throw new Error(`Cannot read the counted words: ${VOCABULARY_FILE} is not as Assay wrote it.`);
}
