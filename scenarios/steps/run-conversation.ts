/** A conversation from its first turn to its end, without the requests themselves. Pure. */

import { CHARACTERS_PER_TOKEN } from "../../lib/text.ts";

/** What the user says in a turn. */
export interface UserTurn {
  /** Messages as JSON, joined by commas. */
  readonly messages: string;
  /** Tokens that they were made to have; absent: they were not made. */
  readonly tokens?: number;
  /** Limit of the response. */
  readonly maxTokens: number;
}

/** A request of a conversation. */
export interface TurnRequest {
  /** All messages so far: a JSON array. */
  readonly conversation: string;
  readonly turn: number;
  readonly turns: number;
  readonly maxTokens: number;
  /** Tokens that the messages were made to have, with those of the responses as they were counted; absent: not known. */
  readonly inputTokens?: number;
}

/** What is needed of a reply. */
export interface TurnReply {
  readonly outcome: string;
  readonly text?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

/** The parts of a conversation that depend on its arrival; tests replace them. */
export interface ConversationCalls {
  /** What the user says. @param turn from 1 */
  readonly say: (turn: number) => UserTurn;
  readonly send: (request: TurnRequest) => TurnReply;
  /** Waits before a turn; false when the run is stopping. @param turn the one that follows */
  readonly think: (turn: number) => boolean;
}

/**
 * Sends one turn after another. The response of each is carried back as the message of the assistant. A turn whose outcome is not
 * `ok`, or without text, is the last one.
 * @param turns how many there are to be
 * @param contextLimit no request is sent that could have more tokens with its response. The tokens so far are those that the
 * target counted, else estimated.
 */
export function runConversation({ say, send, think }: ConversationCalls, turns: number, contextLimit: number): void {
  let messages = "";
  let inputTokens: number | undefined = 0;
  /** Tokens of all messages so far, as the target counted them, and how many characters of them it did not count yet. */
  let counted = 0;
  let uncounted = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    if (turn > 1 && !think(turn)) return;
    const said = say(turn);
    uncounted += said.messages.length;
    if (turn > 1 && counted + uncounted / CHARACTERS_PER_TOKEN + said.maxTokens > contextLimit) return;
    messages += messages === "" ? said.messages : `,${said.messages}`;
    inputTokens = sum(inputTokens, said.tokens);
    const { maxTokens } = said;
    const made = inputTokens === undefined ? {} : { inputTokens };
    const reply = send({ conversation: `[${messages}]`, turn, turns, maxTokens, ...made });
    if (reply.outcome !== "ok" || reply.text === undefined) return;
    const answer = JSON.stringify({ role: "assistant", content: reply.text });
    messages += `,${answer}`;
    inputTokens = sum(inputTokens, reply.output_tokens);
    if (reply.input_tokens !== undefined && reply.output_tokens !== undefined) {
      counted = reply.input_tokens + reply.output_tokens;
      uncounted = 0;
    } else uncounted += answer.length;
  }
}

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;
