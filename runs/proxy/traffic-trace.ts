/**
 * Traffic as a trace that a load replays: when each request came, how long it and its response were, of which session it was, and
 * which beginning it shares with an earlier one. It has no text and no key. Pure.
 */

import { createHash } from "node:crypto";
import { isSecretName } from "../../conformance/engine/traffic-secrets.ts";
import { operationOf, requestOf } from "../../conformance/judges/exchange-kinds.ts";
import { documentOf } from "../../conformance/judges/json-path.ts";
import { hasReasoning, hasText } from "../../conformance/judges/reasoning-alone.ts";
import { choicesOf, hasEndMark, streamedUsage } from "../../conformance/judges/stream-events.ts";
import type { WorkloadKind } from "../../contract/operations.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { BUSY_STATUSES } from "../../formats/outcomes.ts";
import { isObject, type UnknownObject } from "../../lib/json.ts";

/** One request, under the names that published traces have. */
interface TraceLine {
  /** When it came: ISO 8601 in UTC with microseconds. */
  readonly timestamp: string;
  /** Milliseconds until its response had ended. */
  readonly duration_ms?: number;
  readonly operation: WorkloadKind;
  readonly input_length: number;
  readonly output_length?: number;
  /** Ids of the blocks of its prompt: two prompts with the same ids begin with the same text. */
  readonly hash_ids: readonly number[];
  readonly session_id?: number;
  readonly model?: string;
  readonly tenant?: string;
  readonly outcome: "ok" | "failed" | "left";
  /** The target stated no usage: lengths come from the number of characters, and of events. */
  readonly estimated?: true;
}

/** Tokens of a block. */
const BLOCK = 16;
/** Characters of a token, before a response has stated its usage. */
const CHARACTERS = 4;

/** They are held until the end, when they are put in order. */
const MOST_BYTES = 256 * 1024 * 1024;

/** What a trace needs of a request. */
interface Asked {
  readonly operation: WorkloadKind;
  /** What the target reads, in parts: one that follows all of another request's goes on with it. */
  readonly parts: readonly string[];
}

/** Gathers the lines of a trace. */
export class TrafficTrace {
  readonly #tenantHeader: string | undefined;
  readonly #most: number;
  readonly #tenants = new Map<string, string>();
  readonly #prompts = new KnownPrompts();
  readonly #lines: { readonly at: string; readonly text: string }[] = [];
  #bytes = 0;
  #lacking = 0;
  readonly #measured = { characters: 0, tokens: 0 };

  /**
   * @param tenantHeader name of the header that says on whose behalf a request is
   * @param most bytes of lines that are kept
   */
  constructor(tenantHeader?: string, most = MOST_BYTES) {
    this.#tenantHeader = tenantHeader?.toLowerCase();
    this.#most = most;
  }

  /** Adds an exchange; one that asks a model for nothing, or was refused, is left out. */
  add(exchange: Exchange): void {
    const { request, answer, failure, startedAt } = exchange;
    const asked = askedIn(exchange);
    if (asked === undefined || isRefused(exchange)) return;
    if (Object.keys(requestOf(exchange)).length === 0) {
      this.#lacking += 1;
      return;
    }
    const isStream = answer?.headers["content-type"]?.includes("event-stream") === true;
    const isDone = isStream && hasEndMark(exchange);
    const { input, output } = lengthsOf(exchange, isStream);
    const tokens = this.#tokensOf(asked.parts, input);
    const { blocks, session } = this.#prompts.add(asked.parts, tokens);
    const isChat = asked.operation.startsWith("chat");
    const { model } = requestOf(exchange);
    const tenant = this.#tenantOf(request.headers);
    // Clients leave when they have read the end of a stream.
    const isLeft = failure?.kind === "client" && !isDone;
    const hasFailed = (failure !== undefined && !isDone) || (answer?.status ?? 0) >= 400;
    this.#keep({
      timestamp: startedAt,
      ...(answer !== undefined && { duration_ms: Math.round(answer.endMs * 1_000) / 1_000 }),
      operation: asked.operation,
      input_length: tokens,
      ...(isChat && output !== undefined && { output_length: output }),
      hash_ids: blocks,
      ...(isChat && { session_id: session }),
      ...(typeof model === "string" && { model }),
      ...(tenant !== undefined && { tenant }),
      outcome: isLeft ? "left" : hasFailed ? "failed" : "ok",
      ...(input === undefined && { estimated: true }),
    });
  }

  /** JSON lines in the order in which the requests came. */
  lines(): readonly string[] {
    return this.#lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ text }) => text);
  }

  /** Requests for work of a model that it does not have: it has no room for them, or their bodies could not be read. */
  get lacking(): number {
    return this.#lacking;
  }

  #keep(line: TraceLine): void {
    const text = JSON.stringify(line);
    if (this.#bytes + text.length > this.#most) {
      this.#lacking += 1;
      return;
    }
    this.#bytes += text.length;
    this.#lines.push({ at: line.timestamp, text });
  }

  /** Those that the target stated; else by the characters of a token of the requests so far for which it did. */
  #tokensOf(parts: readonly string[], stated: number | undefined): number {
    const measured = this.#measured;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (stated !== undefined) {
      measured.characters += length;
      measured.tokens += stated;
    }
    const characters = measured.tokens === 0 ? CHARACTERS : Math.max(1, measured.characters / measured.tokens);
    return Math.max(1, stated ?? Math.ceil(length / characters));
  }

  /** The value of the header; a number in place of one that may be a key. */
  #tenantOf(headers: Exchange["request"]["headers"]): string | undefined {
    const name = this.#tenantHeader;
    const value = name === undefined ? undefined : headers[name];
    if (name === undefined || value === undefined || !isSecretName(name)) return value;
    const digest = createHash("sha256").update(value).digest("base64");
    const known = this.#tenants.get(digest) ?? `tenant-${this.#tenants.size + 1}`;
    this.#tenants.set(digest, known);
    return known;
  }
}

const isRefused = ({ answer }: Exchange): boolean =>
  answer !== undefined && answer.status >= 400 && answer.status < 500 && !BUSY_STATUSES.includes(answer.status);

/** Undefined of a request that starts no work of a model. */
function askedIn(exchange: Exchange): Asked | undefined {
  const body = requestOf(exchange);
  switch (operationOf(exchange)) {
    case "chat":
      return { operation: body["stream"] === true ? "chat-stream" : "chat", parts: messagesOf(body) };
    case "embeddings":
      return { operation: "embeddings", parts: textsOf(body["input"]) };
    case "submit":
      return { operation: "video", parts: textsOf(body["prompt"]) };
    default:
      return undefined;
  }
}

/** Tools stand before the messages, as templates of models have them. */
const messagesOf = ({ tools, messages }: UnknownObject): string[] => [
  ...(tools === undefined ? [] : [JSON.stringify(tools)]),
  ...(Array.isArray(messages) ? messages : []).map((message: unknown) => {
    const { role, content } = isObject(message) ? message : {};
    return `${String(role)}\n${typeof content === "string" ? content : JSON.stringify(content ?? null)}\n`;
  }),
];

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map((each: unknown) =>
    typeof each === "string" ? each : (JSON.stringify(each) ?? ""),
  );

/** Tokens that a response states; of a stream without usage as many output tokens as it has events with content. */
function lengthsOf(exchange: Exchange, isStream: boolean): { readonly input?: number; readonly output?: number } {
  const document = isStream ? undefined : documentOf(exchange);
  const usage = isStream ? streamedUsage(exchange) : isObject(document) ? document["usage"] : undefined;
  const { prompt_tokens: input, completion_tokens: stated } = isObject(usage) ? usage : {};
  const contents = isStream ? choicesOf(exchange).filter(hasContent).length : 0;
  const output = isCount(stated) ? stated : contents || undefined;
  return { ...(isCount(input) && { input }), ...(output !== undefined && { output }) };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const hasContent = ({ delta }: UnknownObject): boolean =>
  isObject(delta) && (hasText(delta["content"]) || hasReasoning(delta));

/** A place in a prompt up to which it may be the same as another. */
interface Cut {
  readonly characters: number;
  readonly digest: string;
  /** Whether it is the end of a part. */
  readonly isEnd: boolean;
}

/** Characters between two cuts, near the beginning of a prompt and further on. */
const NEAR = { step: 64, until: 8_192 } as const;
const FURTHER = 512;
/** Beginnings that are remembered, so that the memory is bounded; the one that was sent longest ago is forgotten first. */
const MOST_KNOWN = 500_000;

/** Digits of a digest, of six bits each. */
const DIGITS = 14;

/** Which prompts had which beginning. */
class KnownPrompts {
  /** The blocks of the prompt that was the first to begin so. */
  readonly #blocks = new Map<string, readonly number[]>();
  /** The session of the last request that ended so. */
  readonly #sessions = new Map<string, number>();
  #nextBlock = 0;
  #nextSession = 0;

  /** @param tokens that all parts have together */
  add(parts: readonly string[], tokens: number): { readonly blocks: readonly number[]; readonly session: number } {
    const cuts = cutsOf(parts);
    const whole = cuts.at(-1);
    const count = Math.ceil(tokens / BLOCK);
    const known = cuts.findLast(({ digest }) => this.#blocks.has(digest));
    const before = this.#blocks.get(known?.digest ?? "") ?? [];
    const shared =
      known === whole ? count : Math.floor((tokens * (known?.characters ?? 0)) / (whole?.characters ?? 1) / BLOCK);
    const blocks = before.slice(0, Math.min(shared, count));
    while (blocks.length < count) {
      blocks.push(this.#nextBlock);
      this.#nextBlock += 1;
    }
    for (const { digest } of cuts) remember(this.#blocks, digest, this.#blocks.get(digest) ?? blocks);
    return { blocks, session: this.#sessionOf(cuts) };
  }

  /** A request that has all messages of an earlier one, and more, goes on with its session. */
  #sessionOf(cuts: readonly Cut[]): number {
    const ends = cuts.filter(({ isEnd }) => isEnd).map(({ digest }) => digest);
    const whole = ends.pop();
    const before = ends.findLast((digest) => this.#sessions.has(digest));
    const known = before === undefined ? undefined : this.#sessions.get(before);
    const session = known ?? this.#nextSession;
    if (known === undefined) this.#nextSession += 1;
    if (whole !== undefined) remember(this.#sessions, whole, session);
    return session;
  }
}

function remember<T>(known: Map<string, T>, digest: string, value: T): void {
  known.delete(digest);
  known.set(digest, value);
  const [oldest] = known.size > MOST_KNOWN ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
}

/** Cuts at the end of each part, and between them. */
function cutsOf(parts: readonly string[]): readonly Cut[] {
  const hash = createHash("sha256");
  const cuts: Cut[] = [];
  let characters = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const step = characters < NEAR.until ? NEAR.step : FURTHER;
      const piece = part.slice(at, at + step - (characters % step));
      at += piece.length;
      characters += piece.length;
      const digest = hash.update(piece).copy().digest("base64").slice(0, DIGITS);
      cuts.push({ characters, digest, isEnd: at === part.length });
    }
  }
  return cuts;
}
