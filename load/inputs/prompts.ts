/**
 * Prompts files read into prompts: JSON lines of our own, and the layout of ShareGPT. Pure: the command line
 * checks a file with it.
 */

import { ASSISTANT_ROLE } from "../../contract/service.ts";
import { isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { isTraceHeader } from "../../settings/load/arrival-process.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { BadEntry, entriesIn } from "./prompt-entries.ts";
import { type Message, OTHER_LAYOUTS, type PromptLayout, rowsIn, type WrittenPrompt } from "./prompt-layouts.ts";

const USER_ROLE = "user";

export type { Message, WrittenPrompt } from "./prompt-layouts.ts";

/** A prompt that is made of words, of a given number of tokens. */
interface MadePrompt {
  readonly made: string;
  /** What several prompts begin with; in a chat it is the system message. */
  readonly prefix?: string;
}

/** A prompt of the run's file. */
interface PromptOfFile {
  readonly nth: number;
  /** The number that it begins with, so that no other begins like it; absent: it is sent as it is. */
  readonly opening?: number | undefined;
}

/** The messages of a conversation so far, the last of which is the user's. */
interface ConversationSoFar {
  /** A JSON array. */
  readonly conversation: string;
  /** Number of the request within the conversation, from 1, and how many it is to have. */
  readonly turn: number;
  readonly turns: number;
}

/** A prompt, written out, by its number in the run's file, made, or a conversation so far. */
export type Prompt = (WrittenPrompt | PromptOfFile | MadePrompt | ConversationSoFar) & {
  /** `max_tokens`; absent: that of the settings. */
  readonly maxTokens?: number;
  /** How many tokens it was made to have; absent: of a prompt that was not made. */
  readonly inputTokens?: number;
};

const isText = (value: unknown): value is string => typeof value === "string" && !BLANK.test(value);

const BLANK = /^[ \t\r\n\f\v]*$/;

/**
 * Reads a prompts file. Its first character decides how: `{` begins JSON lines, one object each (`{"messages": […]}`,
 * `{"prompt": "…"}` or `{"input": "…"}`; further members are ignored), `[` and `{"data": [` one JSON array of such objects, and with any other
 * every line is a prompt. Blank lines are skipped. Rows of UltraChat (`messages` and `prompt`), of Alpaca and Dolly
 * (`instruction`) and of ShareGPT (`{"conversations": […]}`) are read too: what follows the last user message is dropped, and
 * conversations without a user, which published files hold, are skipped.
 * @param chunks the text of the file, in pieces of any size
 * @param fileName names the file in errors.
 * @throws UsageError that names the first bad line (or item, in an array), or says that there is no prompt.
 */
export function* promptsIn(chunks: Iterable<string>, fileName: string): Generator<WrittenPrompt> {
  for (const { prompt } of promptEntries(chunks, fileName)) yield prompt;
}

/** A prompt of a file, and how it stood there. */
export interface ReadPrompt {
  readonly prompt: WrittenPrompt;
  /** Name of its layout. */
  readonly layout: string;
  /** Whether the extension reads it as it stands there; else the file is converted. */
  readonly isOwn: boolean;
  /** Members of the entry that are not used. */
  readonly unused: readonly string[];
}

/**
 * The same with the layout of each.
 * @param onUnusable told of an entry that cannot be used, as a sentence without its end; absent: it is thrown
 */
export function* promptEntries(
  chunks: Iterable<string>,
  fileName: string,
  onUnusable?: (reason: string) => void,
): Generator<ReadPrompt> {
  let found = false;
  try {
    for (const { place, source, plain, listed } of entriesIn(chunks)) {
      for (const read of plain ? [textLine(source)] : readEntry(source)) {
        if (read === null) continue;
        if (typeof read !== "string") {
          found = true;
          yield listed ? { ...read, isOwn: false } : read;
        } else if (onUnusable === undefined) throw new BadEntry(`${place} ${read}`);
        else onUnusable(`${place} ${read}`);
      }
    }
  } catch (error) {
    throw error instanceof BadEntry ? unreadable(fileName, error.message) : error;
  }
  if (!found && onUnusable === undefined) throw unreadable(fileName, "it contains no prompt");
}

/** The layout of a file that is not JSON. */
export const LINES_OF_TEXT = "lines of text";

/** A line of text may begin with a bracket, as templates of Llama 2 do, and is no array of JSON then. */
const textLine = (source: string): ReadPrompt => ({
  prompt: { prompt: source },
  ...{ layout: LINES_OF_TEXT, isOwn: !source.startsWith("["), unused: [] },
});

function readEntry(source: string): readonly (ReadPrompt | null | string)[] {
  const value = parseJson(source);
  if (!isObject(value)) return [whyNotAnObject(source.trim())];
  const rows = rowsIn(value);
  return rows.map((row) => {
    const read = isObject(row) ? readRow(row) : "has a row that is not an object";
    return read === null || typeof read === "string" || row === value ? read : { ...read, isOwn: false };
  });
}

function readRow(row: UnknownObject): ReadPrompt | null | string {
  const other = OTHER_LAYOUTS.find(({ fits }) => fits(row));
  if (other === undefined && isOfTrace(row)) {
    return row["timestamp"] === undefined && row["session_id"] !== undefined
      ? "is a turn of a session of AIPerf with lengths and no text; have prompts of such lengths made with --input-tokens"
      : "is an arrival of a trace (timestamp and lengths) without a text; replay it with --arrival trace:FILE";
  }
  const prompt = other === undefined ? readPrompt(row) : other.read(row);
  if (prompt === null || typeof prompt === "string") return prompt;
  const { name, uses, within }: Pick<PromptLayout, "name" | "uses" | "within"> = other ?? ownLayoutOf(row);
  return {
    prompt,
    layout: name,
    isOwn: other === undefined,
    unused: [...unusedIn(row, uses), ...(within === undefined ? [] : unusedWithin(row, ...within))],
  };
}

const unusedIn = (row: UnknownObject, uses: readonly string[]): readonly string[] =>
  Object.keys(row).filter((member) => !uses.includes(member) && (row[member] ?? undefined) !== undefined);

/** Of the object that a member holds, or of those that it lists, each once, such as `turns.image` and `messages.content.image_url`. */
function unusedWithin(row: UnknownObject, member: string, uses: readonly string[]): readonly string[] {
  const held = row[member];
  const unused = (Array.isArray(held) ? held : [held]).flatMap((each: unknown) =>
    isObject(each) ? [...unusedIn(each, uses), ...partsLeftOut(each)] : [],
  );
  return [...new Set(unused)].map((name) => `${member}.${name}`);
}

/** The kinds of parts of a message's content that are no texts. */
const partsLeftOut = ({ content }: UnknownObject): readonly string[] =>
  (Array.isArray(content) ? content : []).flatMap((part: unknown) =>
    isObject(part) && typeof part["type"] === "string" && part["type"] !== "text" ? [`content.${part["type"]}`] : [],
  );

const isOfTrace = (row: UnknownObject): boolean =>
  (isTraceHeader(Object.keys(row)) ||
    (row["timestamp"] !== undefined && row["hash_ids"] !== undefined) ||
    (row["session_id"] !== undefined && row["input_length"] !== undefined)) &&
  !Object.keys(READERS).some((kind) => (row[kind] ?? undefined) !== undefined);

/** The name of a layout that the extension reads too, and the members that are read of it. */
function ownLayoutOf(row: UnknownObject): { readonly name: string; readonly uses: readonly string[] } {
  if (Array.isArray(row["conversations"])) return { name: "ShareGPT", uses: ["conversations"] };
  if (Array.isArray(row["messages"])) {
    return { name: isText(row["prompt"]) ? "UltraChat" : "messages", uses: ["messages", "prompt"] };
  }
  if (isText(row["instruction"])) {
    return { name: "context" in row ? "Dolly" : "Alpaca", uses: ["instruction", "input", "context"] };
  }
  return { name: isText(row["prompt"]) ? "prompt" : "input", uses: ["prompt", "input"] };
}

const unreadable = (fileName: string, reason: string): UsageError =>
  new UsageError(
    `Cannot read prompts from ${fileName}: ${reason}. ` +
      'Each line holds one object such as {"prompt": "…"}, or is a prompt itself; see docs/inputs.md.',
  );

const whyNotAnObject = (source: string): string =>
  source.startsWith("{")
    ? `starts like a JSON object but is not one (it ends with "${excerpt(source, -EXCERPT)}")`
    : `is not a JSON object (it starts with "${excerpt(source, EXCERPT)}")`;

const EXCERPT = 16;

/** The first characters of a text, or for a negative number the last. */
function excerpt(source: string, count: number): string {
  const characters = [...source];
  if (characters.length <= Math.abs(count)) return source;
  return count < 0 ? `…${characters.slice(count).join("")}` : `${characters.slice(0, count).join("")}…`;
}

/** The prompt; null for an entry to skip; or, as a text, what is wrong. */
function readPrompt(line: UnknownObject): WrittenPrompt | null | string {
  // Columns of a table are null where a row has none.
  const kinds = Object.keys(READERS).filter((kind) => (line[kind] ?? undefined) !== undefined);
  const [kind] = kinds;
  if (kinds.join() === ULTRA_CHAT) return asked(line["messages"]);
  if (kind === undefined || kinds.join() === "input") {
    const text = instructionOf(line);
    if (text !== undefined) return { prompt: text };
  }
  if (kinds.length > 1) return `has both ${kinds.join(" and ")}; it may have one`;
  const reader = kind === undefined ? undefined : READERS[kind];
  return reader === undefined
    ? `has none of ${Object.keys(READERS).join(", ")}, instruction`
    : reader(line[kind ?? ""]);
}

/** Its rows have the whole conversation, and its first message once more. */
const ULTRA_CHAT = "messages,prompt";

/** The messages up to the last one of the user. */
function asked(value: unknown): WrittenPrompt | null | string {
  const read = readMessages(value);
  return typeof read === "string" || !("messages" in read) ? read : upToUser(read.messages);
}

function upToUser(messages: readonly Message[]): WrittenPrompt | null {
  const until = messages.slice(0, messages.findLastIndex(({ role }) => role === USER_ROLE) + 1);
  return until.length === 0 ? null : { messages: until };
}

/** Of Alpaca and Dolly: what is to be done, and the text to do it with, where there is one. */
function instructionOf({ instruction, input, context }: UnknownObject): string | undefined {
  if (!isText(instruction)) return undefined;
  const more = [input, context].find(isText);
  return more === undefined ? instruction : `${instruction}\n\n${more}`;
}

const READERS: Readonly<Record<string, (value: unknown) => WrittenPrompt | null | string>> = {
  messages: readMessages,
  prompt: (value) => (isText(value) ? { prompt: value } : 'has a "prompt" that is not a text, or an empty one'),
  input: readInput,
  conversations: readConversation,
};

function readMessages(value: unknown): WrittenPrompt | string {
  const wrong = 'has "messages" that are not a list of {"role": "…", "content": "…"}';
  if (!Array.isArray(value) || value.length === 0) return wrong;
  const messages: Message[] = [];
  for (const item of value) {
    if (!isObject(item) || !isText(item["role"]) || typeof item["content"] !== "string") return wrong;
    messages.push({ role: item["role"], content: item["content"] });
  }
  return { messages };
}

function readInput(value: unknown): WrittenPrompt | string {
  if (isText(value)) return { input: value };
  if (Array.isArray(value) && value.length > 0 && value.every(isText)) return { input: value };
  return 'has an "input" that is neither a text nor a list of texts, or an empty one';
}

/** Members that hold a prompt as a text, and those that hold a list or an object. */
export const TEXT_MEMBERS: readonly string[] = ["prompt", "input", "instruction", "text", "text_input", "question"];
export const NESTED_MEMBERS: readonly string[] = [
  "messages",
  "conversations",
  "conversation",
  "turns",
  "texts",
  "body",
];

/** ShareGPT's names of the speakers; all but `human` and `gpt` occur in some published files. */
const SPEAKERS: Readonly<Record<string, string>> = {
  human: USER_ROLE,
  user: USER_ROLE,
  gpt: ASSISTANT_ROLE,
  chatgpt: ASSISTANT_ROLE,
  bing: ASSISTANT_ROLE,
  bard: ASSISTANT_ROLE,
  assistant: ASSISTANT_ROLE,
  system: "system",
};

function readConversation(value: unknown): WrittenPrompt | null | string {
  if (!Array.isArray(value)) return 'has "conversations" that are not a list';
  const messages: Message[] = [];
  for (const turn of value) {
    const from = isObject(turn) && typeof turn["from"] === "string" ? turn["from"] : "";
    const role = Object.hasOwn(SPEAKERS, from) ? SPEAKERS[from] : undefined;
    const content = isObject(turn) ? turn["value"] : undefined;
    if (role === undefined || typeof content !== "string") {
      return 'has "conversations" with a turn that is not {"from": "human", "gpt" or "system", "value": "…"}';
    }
    messages.push({ role, content });
  }
  return upToUser(messages);
}

/** A prompt as the messages of a single chat request: of turns without responses the first one. */
export function messagesOf(prompt: WrittenPrompt): readonly Message[] {
  if (!("messages" in prompt)) return [{ role: USER_ROLE, content: textOf(prompt) }];
  const { messages } = prompt;
  const end = messages.findIndex(({ waits }) => waits);
  return end < 0 ? messages : messages.slice(0, end);
}

/** A prompt as one text, for an embedding or a video: of a conversation the last user message. */
export function textOf(prompt: WrittenPrompt): string {
  if ("prompt" in prompt) return prompt.prompt;
  if ("input" in prompt) return typeof prompt.input === "string" ? prompt.input : prompt.input.join("\n");
  const messages = messagesOf(prompt);
  return messages.findLast(({ role }) => role === USER_ROLE)?.content ?? messages.at(-1)?.content ?? "";
}

/** Whether a prompt has turns that wait for responses, so that a single request leaves them out. */
export const hasTurns = (prompt: WrittenPrompt): boolean =>
  "messages" in prompt && prompt.messages.some(({ waits }) => waits);

/** The first `max` characters (code points) of a text: a surrogate pair is never split. */
export function firstCharacters(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join("");
}
