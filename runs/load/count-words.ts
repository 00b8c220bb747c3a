/** Counts the tokens of the words that prompts are made of, with the tokenizer of a model, before a load: none is in its hot path. */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { resolveSettings } from "../../cli/command-settings.ts";
import { progressOn } from "../../cli/console.mjs";
import { isObject, parseJson } from "../../lib/json.ts";
import { fileName } from "../../lib/text.ts";
import { timeLimit } from "../../lib/time-limit.ts";
import { VOCABULARY } from "../../load/inputs/vocabulary.ts";
import { vocabularyText } from "../../load/inputs/vocabulary-file.ts";
import { keysOf, textOfTokens, type Vocabulary } from "../../load/inputs/words.ts";
import { formatDuration } from "../../settings/units.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { readWithDigest } from "./input-digests.ts";
import { withWorkloads } from "./named-load.ts";

const countedWords = z.object({
  /** For the file that the run reads. */
  text: z.string(),
  /** What the user is told of them. */
  note: z.string(),
  /** SHA-256 of the tokenizer, in hexadecimal. */
  sha256: z.string(),
});
/** The words of a run whose tokens were counted. */
export type CountedWords = Readonly<z.infer<typeof countedWords>>;

type Count = (text: string) => number;

/** Words that a text may begin with are told apart from the others by some tokenizers; with fewer, all words are taken. */
const ENOUGH_WORDS = 50;

/** By tokenizer: a search plans many loads, and to count takes seconds. */
const known = new Map<string, CountedWords>();

/**
 * Counts the words with a `tokenizer.json`, once per process.
 * @throws UsageError when the file is no tokenizer, or one that the library does not know
 */
export function countWords(file: string): CountedWords {
  const counted = known.get(file) ?? countedWith(file);
  known.set(file, counted);
  return counted;
}

/** What the thread of `countWordsAhead` responds: the words, or why there are none. */
const threadResponse = z.union([countedWords, z.object({ refused: z.string() })]);

/** The words, or a sentence about the file; for the thread. */
export function countedOrRefused(file: string): z.infer<typeof threadResponse> {
  try {
    return countWords(file);
  } catch (error) {
    return { refused: reasonOf(error) };
  }
}

const THREAD = new URL("./count-words-thread.mjs", import.meta.url);
/** Longest time to count; the largest tokenizers take seconds. */
const LONGEST_MS = 120_000;

/**
 * Counts the words in a thread, for `countWords` to know them: a regular expression of a tokenizer may take for ever, and would
 * keep this process from noticing a signal.
 * @param program of the thread
 * @throws UsageError as `countWords` does, and when the thread does not come to an end
 * @throws Error when the thread ends without a response, as without memory for it
 */
export async function countWordsAhead(file: string, longestMs = LONGEST_MS, program = THREAD): Promise<void> {
  const thread = new Worker(program, { workerData: file });
  const gone = new AbortController();
  thread.once("exit", (code) => gone.abort(code));
  const { signal, clear } = timeLimit(longestMs, gone.signal);
  try {
    const [message] = await once(thread, "message", { signal });
    const response = threadResponse.parse(message);
    if ("refused" in response) throw new UsageError(response.refused);
    known.set(file, response);
  } catch (error) {
    if (!isAbort(error)) throw error;
    throw gone.signal.aborted ? threadEnded(file, gone.signal.reason) : notCounted(file, longestMs);
  } finally {
    clear();
    await thread.terminate();
  }
}

/**
 * Does so for a load or a search whose settings name a tokenizer, before it is planned.
 * @param flags options as commander gives them
 * @throws UsageError as `countWordsAhead` and `resolveSettings` do
 */
export async function countWordsFor(
  command: "load" | "search",
  scenario: string | undefined,
  flags: Readonly<Record<string, unknown>> & { readonly quiet?: boolean },
): Promise<void> {
  const { tokenizer } = resolveSettings(command, withWorkloads(scenario, flags)).values;
  if (tokenizer === undefined) return;
  progressOn(flags.quiet).say(`Counting the tokens of words with ${tokenizer} …`);
  await countWordsAhead(tokenizer);
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

const notCounted = (file: string, longestMs: number): UsageError =>
  new UsageError(
    `Cannot count tokens with ${file}: it did not come to an end within ${formatDuration(longestMs)}, as with a regular expression that takes for ever. Name the tokenizer.json of a model on Hugging Face with --set tokenizer, or leave it out.`,
  );

const threadEnded = (file: string, code: unknown): Error =>
  new Error(
    `Cannot count tokens with ${file}: the thread that counts ended with exit code ${code} and said nothing, as without memory for it. Free some, or leave --set tokenizer out.`,
  );

function countedWith(file: string): CountedWords {
  const { count, sha256 } = countOf(file);
  const vocabulary = countedBy(count);
  const { words, costs = [] } = vocabulary;
  const single = costs.filter((cost) => cost === 1).length;
  const off = largestError(count, vocabulary);
  const exact =
    off === 0 ? "exactly as many tokens as are asked for" : `at most ${off} tokens more or fewer than are asked for`;
  return {
    sha256,
    text: vocabularyText(vocabulary),
    note: `Prompts are made of ${words.length} words; ${single} of them are one token in ${fileName(file)}. ${SAMPLES} samples have ${exact}.`,
  };
}

function countOf(file: string): { readonly count: Count; readonly sha256: string } {
  try {
    const { text, sha256 } = readWithDigest(file);
    const tokenizer = new Tokenizer(definitionIn(text), {});
    const count = (text: string): number => tokenizer.encode(text, { add_special_tokens: false }).ids.length;
    if (count("a few words") < 1) throw new Error("it finds no token in a text");
    return { count, sha256 };
  } catch (error) {
    throw new UsageError(
      `Cannot count tokens with ${file}: ${reasonOf(error)}. Name the tokenizer.json of a model on Hugging Face with --set tokenizer, or leave it out.`,
    );
  }
}

function definitionIn(text: string): object {
  const value = parseJson(text);
  if (isObject(value) && isObject(value["model"])) return value;
  throw new Error('it is not a JSON object with a "model"');
}

function countedBy(count: Count): Vocabulary {
  const around = count("a a");
  const all = VOCABULARY.map((word) => ({ word, cost: count(`a ${word} a`) - around }));
  const alike = all.filter(({ word, cost }) => cost > 0 && count(word) === cost);
  const taken = alike.length >= ENOUGH_WORDS ? alike : all.map(({ word, cost }) => ({ word, cost: Math.max(1, cost) }));
  return {
    words: taken.map(({ word }) => word),
    costs: taken.map(({ cost }) => cost),
    charactersPerToken: 0,
  };
}

const SAMPLES = 40;

/** By how many tokens a made text differs from what is asked for at most, over samples of 1 to about 2,000 tokens. */
function largestError(count: Count, vocabulary: Vocabulary): number {
  let most = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const tokens = Math.round(1.21 ** sample);
    most = Math.max(most, Math.abs(count(textOfTokens(vocabulary, tokens, keysOf(1, sample, "sample"))) - tokens));
  }
  return most;
}
