/** Chats of an arrival: one request, or with `--turns` a conversation of several. */

import { type Arrival, type Prompts, pause, type Reply, type TracedTurn } from "k6/x/assay";
import type { Prompt } from "../../load/inputs/prompts.ts";
import { draw } from "../../load/inputs/random.ts";
import { timeAt } from "../../load/inputs/sample-length.ts";
import { settings } from "../environment.ts";
import {
  file,
  fromFile,
  inputTokensOf,
  lengths,
  madeText,
  messageOf,
  messagesPart,
  openingOf,
  outputTokensOf,
  prefixOf,
  promptFor,
} from "../inputs.ts";
import { workload } from "../workloads.ts";
import { runConversation, type UserTurn } from "./run-conversation.ts";

const { seed } = settings;

/**
 * Sends the chats of an arrival: a single one with `last`; with `--turns` a conversation, whose turns are sent one after another with
 * `send`, with time to think between them.
 */
export function chatWith(send: (prompt: Prompt) => Reply, last: (prompt: Prompt) => void, arrival: Arrival): void {
  const { turns, contextLimit } = workload();
  const { turns: traced } = arrival;
  if (turns === undefined && traced === undefined) {
    last(promptFor(arrival));
    return;
  }
  const user = traced === undefined ? userOf(arrival) : userOfTrace(arrival, traced);
  const calls = {
    say: (turn: number) => ({ maxTokens: outputTokensOf(arrival, turn - 1), ...user.say(turn) }),
    send,
    think: (turn: number): boolean => {
      const stated = user.delays?.[turn - 1] ?? 0;
      const ms = stated > 0 ? stated : timeAt(lengths().think, draw(seed, arrival.index, `think time ${turn}`));
      return ms === 0 || pause(ms);
    },
  };
  const drawn = turns && turns.min + Math.floor(draw(seed, arrival.index, "turns") * (turns.max - turns.min + 1));
  runConversation(calls, Math.min(drawn ?? user.most, user.most), contextLimit);
}

function userOf(arrival: Arrival): User {
  const prompts = file();
  return prompts === undefined ? madeUser(arrival) : userOfFile(arrival, prompts);
}

/** What the user of a conversation says. The number of a turn, less one, is that of its prompt among those of the arrival. */
interface User {
  readonly say: (turn: number) => Omit<UserTurn, "maxTokens"> & Partial<Pick<UserTurn, "maxTokens">>;
  /** How many turns there can be. */
  readonly most: number;
  /** Times before the turns that the file states, in milliseconds. */
  readonly delays?: readonly number[];
}

const madeUser = (arrival: Arrival): User => ({
  most: Number.POSITIVE_INFINITY,
  say: (turn) => {
    const tokens = inputTokensOf(arrival, turn - 1) ?? 1;
    const message = messageOf("user", madeText(arrival, turn - 1, tokens));
    const prefix = turn === 1 ? prefixOf(arrival) : undefined;
    return prefix === undefined
      ? { messages: message, tokens }
      : { messages: `${messageOf("system", prefix.text)},${message}`, tokens: tokens + prefix.tokens };
  },
});

/** The user of a conversation that a trace states. @param later its turns after the first */
const userOfTrace = (arrival: Arrival, later: readonly TracedTurn[]): User => ({
  most: later.length + 1,
  delays: [0, ...Array.from(later, ({ thinkMs }) => thinkMs)],
  say: (turn) => {
    const stated = later[turn - 2];
    if (stated === undefined) {
      const prompt = promptFor(arrival);
      const { inputTokens: tokens } = prompt;
      return { messages: messagesPart(prompt).slice(1, -1), ...(tokens !== undefined && { tokens }) };
    }
    const { inputTokens: tokens, outputTokens: maxTokens } = stated;
    const message = messageOf("user", madeText(arrival, turn - 1, tokens));
    return { messages: message, tokens, ...(maxTokens > 0 && { maxTokens }) };
  },
});

/**
 * The user of a conversation in the file, turn by turn. A prompt in which the user speaks once begins a conversation, in which
 * each further turn is another prompt of the file.
 */
function userOfFile(arrival: Arrival, prompts: Prompts): User {
  const own = prompts.turns(fromFile(arrival, 0), openingOf(arrival, 0));
  const other = (turn: number): string => `{"role":"user","content":${prompts.text(fromFile(arrival, turn - 1))}}`;
  return {
    most: own.length === 1 ? Number.POSITIVE_INFINITY : own.length,
    // Only files that were converted state some.
    ...(settings.promptFiles !== undefined && { delays: prompts.delays(fromFile(arrival, 0)) }),
    say: (turn) => ({ messages: own[turn - 1] ?? other(turn) }),
  };
}
