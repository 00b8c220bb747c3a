/** What prompts of given lengths are made from, read inside k6, so that k6 archives include the files. */

import { parseHistogram } from "../../load/inputs/histogram-file.ts";
import type { Drawable } from "../../load/inputs/sample-length.ts";
import { VOCABULARY } from "../../load/inputs/vocabulary.ts";
import { parseVocabulary, VOCABULARY_FILE } from "../../load/inputs/vocabulary-file.ts";
import type { Vocabulary } from "../../load/inputs/words.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import type { Distribution } from "../../settings/load/drawn-values.ts";

/** The distributions of a workload. */
export interface Lengths {
  /** Tokens. */
  /** Absent: prompts are those of a file. */
  readonly input?: Drawable;
  readonly output: Drawable;
  /** Milliseconds. */
  readonly think: Drawable;
}

/** The distributions of a workload. */
export function lengthsOf({ inputTokens, maxTokens, thinkTime }: Workload): Lengths {
  return {
    ...(inputTokens && { input: drawable(inputTokens) }),
    output: drawable(maxTokens),
    think: drawable(thinkTime),
  };
}

const drawable = (given: Distribution): Drawable =>
  given.kind === "histogram"
    ? { bins: parseHistogram(openFile("the histogram of lengths", given.file), given.file) }
    : given;

/** The words of prompts: those whose tokens `assay` counted with the tokenizer, else all of them. */
export const vocabularyOf = ({ tokenizer, charactersPerToken }: LoadSettings): Vocabulary =>
  tokenizer === undefined
    ? { words: VOCABULARY, charactersPerToken }
    : parseVocabulary(openFile("the counted words", `./${VOCABULARY_FILE}`));

function openFile(what: string, file: string): string {
  try {
    return open(file);
  } catch (error) {
    throw new Error(`Cannot open ${what}, ${file}: ${error}.`);
  }
}
