/** Layouts of published data sets other than those that the extension reads too: the command line converts files in these. Pure. */

import { isObject, type UnknownObject } from "../../lib/json.ts";

export interface Message {
  readonly role: string;
  readonly content: string;
  /** Time before it, from the response before, in milliseconds; absent: none is stated. */
  readonly delay?: number;
  /** Whether it waits for a response to what is before it, which the file does not have; a single request ends before it. */
  readonly waits?: true;
}

/** A prompt: a conversation, a single text, or texts to encode. Each can be used for every kind of request. */
export type WrittenPrompt =
  | { readonly messages: readonly Message[] }
  | { readonly prompt: string }
  | { readonly input: string | readonly string[] };

/** A layout of one entry. */
export interface PromptLayout {
  readonly name: string;
  /** Members that are read. */
  readonly uses: readonly string[];
  /** A member that holds an object, or lists objects, and the members of these that are read; absent: none does. */
  readonly within?: readonly [member: string, uses: readonly string[]];
  readonly fits: (entry: UnknownObject) => boolean;
  /** The prompt; null for an entry that holds none; or, as a text, what is wrong. */
  readonly read: (entry: UnknownObject) => WrittenPrompt | null | string;
}

/** The first that fits counts. */
export const OTHER_LAYOUTS: readonly PromptLayout[] = [
  {
    name: "OpenAI batch",
    uses: ["body"],
    within: ["body", ["messages", "input", "prompt"]],
    fits: ({ body, url, custom_id: id }) => isObject(body) && (url !== undefined || id !== undefined),
    read: ({ body }) => (isObject(body) ? ofBody(body) : null),
  },
  {
    name: "MT-Bench",
    uses: ["turns"],
    fits: ({ turns }) => isListOf(turns, isText),
    read: ({ turns }) => ofTurns(turns),
  },
  {
    name: "AIPerf multi-turn",
    uses: ["turns", "type"],
    within: ["turns", ["text", "texts", "text_input", "delay", "role", "type"]],
    fits: ({ turns }) => isListOf(turns, isObject),
    read: ({ turns }) =>
      isListOf(turns, (turn) => isObject(turn) && textIn(turn) !== undefined)
        ? ofTurns(turns)
        : "is a session of AIPerf with a turn that has no text",
  },
  {
    name: "AIPerf inputs.json",
    uses: ["payloads", "session_id"],
    within: ["payloads", ["messages", "input", "prompt"]],
    fits: ({ payloads }) => isListOf(payloads, isObject),
    read: ({ payloads }) => ofPayloads(payloads),
  },
  {
    name: "WildChat",
    uses: ["conversation"],
    fits: ({ conversation }) => isListOf(conversation, isMessage),
    read: ({ conversation }) => ofMessages(conversation),
  },
  {
    name: "OASST",
    uses: ["text", "role"],
    fits: ({ message_id: id, role, text }) => isText(id) && isText(role) && isText(text),
    read: ({ role, text }) => (role === "prompter" && isText(text) ? { prompt: text } : null),
  },
  {
    name: "messages with tools or parts",
    uses: ["messages"],
    within: ["messages", ["role", "content"]],
    fits: ({ messages }) => isListOf(messages, isSaid) && !isListOf(messages, isPlain),
    read: ({ messages }) => ofMessages(messages),
  },
  {
    name: "ShareGPT with tools",
    uses: ["conversations"],
    fits: ({ conversations }) => Array.isArray(conversations) && conversations.some(isToolTurn),
    read: ({ conversations }) => ofSpeakers(conversations),
  },
  {
    name: "question",
    uses: ["question", "system_prompt", "context"],
    fits: ({ question, ...others }) =>
      isText(question) && !OTHER_PROMPTS.some((name) => (others[name] ?? undefined) !== undefined),
    read: ofQuestion,
  },
  {
    name: "AIPerf",
    uses: ["text", "texts", "text_input", "type"],
    fits: (entry) =>
      textIn(entry) !== undefined && !["messages", "prompt", "input"].some((name) => isText(entry[name])),
    read: (entry) => ({ prompt: textIn(entry) ?? "" }),
  },
];

/** With one of these, a question is about the prompt and not it. */
const OTHER_PROMPTS = ["messages", "prompt", "input", "instruction", "conversations", "text"] as const;

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const isListOf = (value: unknown, fits: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(fits);

const isMessage = (value: unknown): boolean => isObject(value) && isText(value["role"]);
const isPlain = (value: unknown): boolean => isObject(value) && typeof value["content"] === "string";
/** A message with a text, with parts, or with calls of tools in place of a text. */
const isSaid = (value: unknown): boolean =>
  isMessage(value) && (isPlain(value) || (isObject(value) && (Array.isArray(value["content"]) || isCall(value))));
const isCall = ({ tool_calls: calls, function_call: call }: UnknownObject): boolean =>
  calls !== undefined || call !== undefined;

/** The text of an entry or a turn of AIPerf; several are joined, which may have names. */
function textIn({ text, texts, text_input: input }: UnknownObject): string | undefined {
  if (isText(text)) return text;
  if (isText(input)) return input;
  if (!Array.isArray(texts)) return undefined;
  const all = texts.flatMap((each: unknown) => (isObject(each) ? each["contents"] : each));
  return isListOf(all, isText) ? all.join("\n") : undefined;
}

/** What the user says in each turn; the responses are those of the target. */
function ofTurns(turns: unknown): WrittenPrompt | null {
  const all = (Array.isArray(turns) ? turns : []).map((turn: unknown): Message => {
    const { delay, role = "user" } = isObject(turn) ? turn : {};
    const content = String(isObject(turn) ? textIn(turn) : turn);
    return { role: String(role), content, ...(typeof delay === "number" && delay > 0 && { delay }) };
  });
  return inTurns(all);
}

/** What follows a message of the same speaker waits for a response. */
const inTurns = (all: readonly Message[]): WrittenPrompt | null =>
  asked(all.map((said, at) => (said.role === all[at - 1]?.role ? { ...said, waits: true } : said)));

/** Of GSM8K, Open-Orca and SQuAD: a text that the question is about stands before it. */
function ofQuestion({ question, system_prompt: system, context }: UnknownObject): WrittenPrompt {
  const content = isText(context) ? `${context}\n\n${String(question)}` : String(question);
  return isText(system)
    ? {
        messages: [
          { role: "system", content: system },
          { role: "user", content },
        ],
      }
    : { prompt: content };
}

function ofBody({ messages, input, prompt }: UnknownObject): WrittenPrompt | null | string {
  if (messages !== undefined) return ofMessages(messages);
  if (isText(input)) return { input };
  if (Array.isArray(input) && isListOf(input, isText)) return { input };
  if (isText(prompt)) return { prompt };
  return 'has a "body" with none of messages, input, prompt';
}

/** The requests of a session: each holds all messages up to its turn, or those of its turn alone. */
function ofPayloads(value: unknown): WrittenPrompt | null | string {
  const payloads = Array.isArray(value) ? value.filter(isObject) : [];
  const last = payloads.at(-1) ?? {};
  const { messages } = last;
  if (!Array.isArray(messages)) {
    return payloads.length > 1 ? "is a session of AIPerf whose payloads have no messages" : ofBody(last);
  }
  const isWhole = messages.length >= payloads.length;
  return inTurns(saidIn(isWhole ? messages : payloads.flatMap((each) => each["messages"])));
}

/** Roles that only a service with tools takes. */
const TOOL_ROLES: readonly string[] = ["tool", "function"];

const ofMessages = (value: unknown): WrittenPrompt | null => asked(saidIn(value));

/** Messages with a text: those of tools, and calls of tools, are left out, and so are images. */
const saidIn = (value: unknown): readonly Message[] =>
  (Array.isArray(value) ? value : []).flatMap((item: unknown): Message[] => {
    const { role, content } = isObject(item) ? item : {};
    const text = contentText(content);
    return isText(role) && !TOOL_ROLES.includes(role) && isText(text) ? [{ role, content: text }] : [];
  });

/** The text of a content, which may be in parts. */
const contentText = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.flatMap((part: unknown) => (isObject(part) && isText(part["text"]) ? [part["text"]] : [])).join("\n")
    : content;

const TOOL_SPEAKERS: readonly string[] = ["tool", "function", "function_call", "observation", "function_response"];
const isToolTurn = (turn: unknown): boolean => isObject(turn) && TOOL_SPEAKERS.includes(String(turn["from"]));

const SPOKEN: Readonly<Record<string, string>> = { human: "user", user: "user", system: "system" };

function ofSpeakers(turns: unknown): WrittenPrompt | null {
  const messages = (Array.isArray(turns) ? turns : []).flatMap((turn: unknown): Message[] => {
    const { from, value } = isObject(turn) ? turn : {};
    if (isToolTurn(turn) || !isText(from) || !isText(value)) return [];
    return [{ role: SPOKEN[from] ?? "assistant", content: value }];
  });
  return asked(messages);
}

/** The messages up to the last one of the user; null without one. */
function asked(messages: readonly Message[]): WrittenPrompt | null {
  const until = messages.slice(0, messages.findLastIndex(({ role }) => role === "user") + 1);
  return until.length === 0 ? null : { messages: until };
}

/** The rows of an entry as the hub returns them (`rows`, each with its `row`), or of a line of them; else the entry itself. */
export function rowsIn(entry: UnknownObject): readonly unknown[] {
  const { rows, row } = entry;
  if (Array.isArray(rows) && isListOf(rows, (each) => isObject(each) && isObject(each["row"]))) {
    return rows.map((each: unknown) => (isObject(each) ? each["row"] : each));
  }
  return isObject(row) ? [row] : [entry];
}
