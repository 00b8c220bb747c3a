/**
 * The inputs of requests: prompts from the file of a workload, or made of words with lengths from a distribution. Each depends on
 * the seed, the arrival and its turn alone, so that the number of virtual users and of segments changes nothing.
 */

import { type Arrival, type Call, Prompts, Words } from "k6/x/assay";
import { markerOf, withMarker } from "../lib/marker.ts";
import { firstCharacters, messagesOf, type Prompt, textOf } from "../load/inputs/prompts.ts";
import { bitsOf, draw, isChosen, mixed, pickIndex, shuffledIndex } from "../load/inputs/random.ts";
import { tokensAt } from "../load/inputs/sample-length.ts";
import { keysOf } from "../load/inputs/words.ts";
import type { Workload } from "../load/rules/checked-settings.ts";
import { served, settings } from "./environment.ts";
import { processState, shared } from "./shared-values.ts";
import { arrivalUnderWay, numberOf, perWorkload, workload } from "./workloads.ts";

/** Beside the bundle, for a k6 that `assay` does not start; `assay` always names the file. */
const PROMPTS_BESIDE_BUNDLE = "./prompts.jsonl";

const { seed, promptSeed } = settings;

/** Ends the purposes of choices that decide what texts are, so that runs with one seed do not send the same. */
const ofRun = promptSeed === undefined ? "" : ` of ${promptSeed}`;

/** The distributions of the workload, with the files that they name. */
export const lengths = perWorkload((of) => shared(`lengths of ${of.name}`, ({ lengthsOf }) => lengthsOf(of)));

/** The prompts of the workload; undefined where they are made. */
export const file = perWorkload(({ inputTokens, prompts = PROMPTS_BESIDE_BUNDLE }) =>
  inputTokens === undefined ? new Prompts(settings.promptFiles?.[prompts] ?? prompts) : undefined,
);

/** Whether a workload may make its prompts: a trace may state lengths. */
const makesPrompts = ({ inputTokens, arrival }: Workload): boolean =>
  inputTokens !== undefined || arrival.process === "trace";

const words = served.some(makesPrompts) ? new Words(() => processState().vocabularyOf(settings)) : undefined;

/**
 * The prompt of an arrival: the same seed and arrival give the same prompt. Its length, and the limit of its response, are those
 * that a trace states, else those of the settings.
 * @param nth which of several prompts of one arrival, from 0.
 */
export const promptFor = (arrival: Arrival, nth = 0): Prompt => promptOf(arrival, nth, arrival.inputTokens);

/** Several prompts of one arrival; they share the length that a trace states. */
export const promptsFor = (arrival: Arrival, count: number): readonly Prompt[] => {
  const { inputTokens } = arrival;
  const each = inputTokens === undefined ? undefined : Math.ceil(inputTokens / count);
  const prompts: Prompt[] = [];
  for (let nth = 0; nth < count; nth += 1) prompts.push(promptOf(arrival, nth, each, Math.max(count, largestBatch())));
  return prompts;
};

/** Arrivals with batches of several sizes are numbered as if all had the largest. */
const largestBatch = perWorkload(({ batchSizes }) => Math.max(...batchSizes.values));

function promptOf(arrival: Arrival, nth: number, stated: number | undefined, count = 1): Prompt {
  const maxTokens = outputTokensOf(arrival, nth);
  const tokens = stated ?? inputTokensOf(arrival, nth);
  if (tokens === undefined) return { nth: fromFile(arrival, nth, count), opening: openingOf(arrival, nth), maxTokens };
  const prefix = prefixOf(arrival);
  return {
    made: stated !== undefined && count === 1 ? textOfTrace(arrival, nth, tokens) : madeText(arrival, nth, tokens),
    ...(prefix && { prefix: prefix.text }),
    inputTokens: tokens + (prefix?.tokens ?? 0),
    maxTokens,
  };
}

/** Whether the prompts of the workload are sent in the order of their file. */
const inOrder = perWorkload(({ promptsOrder }) => promptsOrder === "sequential");

/**
 * Number of an arrival's prompt in the file: shuffled or in order, and none twice before all were used.
 * @param nth which of its prompts, which are `count` at most; further ones, as of later turns, have an order of their own
 */
export function fromFile(arrival: Arrival, nth: number, count = 1): number {
  const { index } = arrival;
  const length = file()?.length ?? 0;
  if (inOrder()) return (numberOf(arrival) * count + nth) % length;
  return nth < count
    ? shuffledIndex(length, seed, index * count + nth, FIRST_PROMPT)
    : shuffledIndex(length, seed, index, `prompt ${nth}`);
}

/** What nearly every draw of a prompt is for. */
const FIRST_PROMPT = "prompt 0";

/** Key of what prompts of the file begin with. */
const OPENING = bitsOf(seed, 0, `opening${ofRun}`);

/** Whether the prompts of the workload begin with a number of their own. */
const hasOpenings = perWorkload(({ uniquePrompts = false }) => uniquePrompts);

/**
 * What a prompt of the file begins with: 32 bits, which the first prompt of no other arrival has. Undefined where prompts are sent as
 * they are.
 * @param nth which of the prompts of the arrival
 */
export function openingOf({ index }: Arrival, nth: number): number | undefined {
  if (!hasOpenings()) return undefined;
  return mixed(nth === 0 ? OPENING : mixed(OPENING, nth), index) >>> 0;
}

/** A text of that many tokens. */
export function madeText({ index }: Arrival, nth: number, tokens: number): string {
  if (words === undefined) throw new Error("Cannot make a prompt of a given length: the settings state no lengths.");
  return words.text(tokens, ...keysOf(seed, index, `prompt ${nth}${ofRun}`));
}

/** The same, of the blocks that a trace states: arrivals with the same ids share their texts. */
function textOfTrace(arrival: Arrival, nth: number, tokens: number): string {
  const { index, blocks, blockTokens } = arrival;
  if (blocks === undefined || blockTokens === undefined || words === undefined) return madeText(arrival, nth, tokens);
  const own = keysOf(seed, index, `prompt ${nth}${ofRun}`);
  return words.blocks(blocks, blockTokens, tokens, ...keysOf(seed, 0, `block${ofRun}`), ...own);
}

/** What an arrival's prompts begin with: each workload has texts of its own. Undefined without such a setting, and of the other prompts. */
export function prefixOf({ index }: Arrival): { readonly text: string; readonly tokens: number } | undefined {
  const { sharedPrefixTokens } = workload();
  if (sharedPrefixTokens === undefined) return undefined;
  const { tokens, texts, share } = sharedPrefixTokens;
  if (share < 1 && !isChosen(share, seed, index, "has prefix")) return undefined;
  return { tokens, text: prefixText(workload(), tokens, pickIndex(texts, seed, index, "prefix")) };
}

/** The nth of the texts that the prompts of a workload begin with. */
export function prefixText({ name = "" }: Workload, tokens: number, nth: number): string {
  if (words === undefined) throw new Error("Cannot make a prefix: the settings state no lengths.");
  return words.text(tokens, ...keysOf(seed, nth, `prefix of ${name}${ofRun}`));
}

/** The length that the settings give to a prompt; undefined where they give none. */
export function inputTokensOf({ index }: Arrival, nth: number): number | undefined {
  const { input } = lengths();
  return input && tokensAt(input, draw(seed, index, `input tokens ${nth}`));
}

/** The limit of a response: what a trace states, else what the settings say or draw. */
export function outputTokensOf({ index, outputTokens }: Pick<Arrival, "index" | "outputTokens">, nth: number): number {
  if (outputTokens !== undefined) return outputTokens;
  const limit = limits();
  return typeof limit === "number" ? limit : tokensAt(limit, draw(seed, index, `output tokens ${nth}`));
}

/** The limit of the response to a prompt of a user's own scenario, which states none. */
export const limitOfArrival = (): number => outputTokensOf({ index: arrivalUnderWay() }, 0);

/** The limit of responses of a workload, a number where nothing is drawn. */
const limits = perWorkload((of) => {
  if (of.maxTokens.kind === "fixed") return of.maxTokens.value;
  return shared(`lengths of ${of.name}`, ({ lengthsOf }) => lengthsOf(of)).output;
});

/** The messages of a prompt, as JSON. */
export function messagesPart(prompt: Prompt): string {
  if ("nth" in prompt) return fileOf().messages(prompt.nth, prompt.opening);
  if ("conversation" in prompt) return prompt.conversation;
  if (!("made" in prompt)) return JSON.stringify(messagesOf(prompt));
  const system = prompt.prefix === undefined ? "" : `${messageOf("system", prompt.prefix)},`;
  return `[${system}${messageOf("user", prompt.made)}]`;
}

/** One message, as JSON. */
export const messageOf = (role: string, content: string): string => JSON.stringify({ role, content });

function fileOf(): Prompts {
  const prompts = file();
  if (prompts === undefined)
    throw new Error("Cannot take a prompt by its number: the prompts of this workload are made.");
  return prompts;
}

/**
 * A prompt as one text, as JSON.
 * @param most how many characters of it are taken; absent: all
 */
export function textPart(prompt: Prompt, most?: number): string {
  if ("nth" in prompt) return fileOf().text(prompt.nth, prompt.opening, most);
  const text = plainText(prompt);
  return JSON.stringify(most === undefined ? text : firstCharacters(text, most));
}

function plainText(prompt: Exclude<Prompt, { readonly nth: number }>): string {
  if ("conversation" in prompt) throw new Error("Cannot use a conversation as one text.");
  if (!("made" in prompt)) return textOf(prompt);
  return prompt.prefix === undefined ? prompt.made : `${prompt.prefix} ${prompt.made}`;
}

/** The call that sends a chat with a prompt. Each chat makes one, so that it is a plain object without spreads, but for those of conversations. */
export function callOf(prompt: Prompt, bodyOf: (messages: string, maxTokens: number) => readonly string[]): Call {
  const { maxTokens = limitOfArrival(), inputTokens } = prompt;
  const marker = workload().marker === true ? markerOf(bitsOf(seed, arrivalUnderWay(), "marker")) : undefined;
  const messages = messagesPart(prompt);
  const body = bodyOf(marker === undefined ? messages : withMarker(messages, marker), maxTokens);
  const plain = inputTokens === undefined ? { body, maxTokens } : { body, maxTokens, inputTokens };
  const call = marker === undefined ? plain : { ...plain, marker };
  return "turn" in prompt ? { ...call, turn: prompt.turn, turns: prompt.turns, text: true } : call;
}
