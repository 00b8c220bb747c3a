/** Judges of streams as the widely used chat interface sends them: server-sent events of completion chunks. */

import { ASSISTANT_ROLE } from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { eventsOf, type ServerEvent } from "../../lib/event-stream.ts";
import { describe, isObject, parseJson, show, type UnknownObject } from "../../lib/json.ts";
import { beyondLimits, DEEPEST } from "../../lib/json-limits.ts";
import { BYTE_ORDER_MARK } from "../../lib/text.ts";
import { broken, brokenAlready, elsewhere, holds, inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { readOnce } from "./read-once.ts";
import { hasReasoning, hasText, REASONED_ALONE } from "./reasoning-alone.ts";
import { KEY_REFUSED, returned } from "./status.ts";

const DONE = "[DONE]";

/** Events of a stream that are read; the responses to our requests have some hundred. */
export const MOST_EVENTS = 20_000;
export const LIMITS = { depth: DEEPEST, values: 1_000 };

interface Stream {
  readonly events: readonly ServerEvent[];
  /** Those but the mark of the end, whatever its name, with their JSON values; undefined for one that is not JSON. */
  readonly chunks: readonly { readonly name: string; readonly data: string; readonly value: unknown }[];
  /** How many of the chunks came before the mark. */
  readonly beforeMark: number;
  /** There are more events than were read. */
  readonly more: boolean;
}

const isMark = ({ data }: ServerEvent): boolean => data.trimEnd() === DONE;

export const streamIn = readOnce((body): Stream => {
  const { whole: events, more } = eventsOf(body, MOST_EVENTS);
  const chunks = events
    .filter((event) => !isMark(event))
    .map(({ name, data }) => ({
      name,
      data,
      value: beyondLimits(data, LIMITS) === undefined ? parseJson(data) : undefined,
    }));
  const mark = events.findIndex(isMark);
  return { events, chunks, beforeMark: mark < 0 ? chunks.length : mark, more };
});

/** The JSON values of the events of a stream; undefined for one that is not JSON. */
export const chunksOf = (exchange: Exchange | undefined): readonly unknown[] =>
  streamIn(exchange)?.chunks.map(({ value }) => value) ?? [];

/** Judges a stream of which all events were read. */
export const ofWholeStream =
  (judge: (exchange: Exchange | undefined) => Judged) =>
  (exchange: Exchange | undefined): Judged => {
    if (KEY_REFUSED.includes(exchange?.answer?.status ?? 0)) return elsewhere(returned(exchange));
    return streamIn(exchange)?.more
      ? inconclusive(`the stream has more than ${MOST_EVENTS} events, which is more than Assay reads`)
      : judge(exchange);
  };

/** Whether a stream holds the mark of its end. */
export const hasEndMark = (exchange: Exchange | undefined): boolean => streamIn(exchange)?.events.some(isMark) === true;

/** The choices of all chunks, in order. */
export const choicesOf = (exchange: Exchange | undefined): readonly Readonly<Record<string, unknown>>[] =>
  chunksOf(exchange).flatMap((chunk) =>
    isObject(chunk) && Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [],
  );

/** The stream is events, and each but the last mark is a JSON object. */
export function eventsAreJson(exchange: Exchange | undefined): Judged {
  const chunks = chunksOf(exchange);
  if (chunks.length === 0) return broken("a stream is server-sent events", "no server-sent events in the stream");
  const bad = chunks.findIndex((chunk) => !isObject(chunk));
  if (bad < 0) return holds(`${chunks.length} events held JSON objects`);
  const held = streamIn(exchange)?.chunks[bad]?.data;
  return brokenAlready("the data of an event is a JSON object", `event ${bad + 1} held ${show(held)}`);
}

/** The deltas make up a text. */
export function deltasMakeText(exchange: Exchange | undefined): Judged {
  const found = deltasAreTexts(exchange);
  if (found.kind !== "inconclusive") return found;
  const reasoned = choicesOf(exchange).some(({ delta }) => isObject(delta) && hasReasoning(delta));
  if (reasoned && endedByLimit(exchange)) return inconclusive(`they held ${REASONED_ALONE}`);
  return broken("the deltas hold the response", reasoned ? "they held reasoning and no content" : found.why);
}

/** What the deltas hold is text; inconclusive when they hold nothing, as a model may choose to answer. */
export function deltasAreTexts(exchange: Exchange | undefined): Judged {
  const contents = choicesOf(exchange).map(({ delta }) => (isObject(delta) ? delta["content"] : undefined));
  const bad = contents.find((content) => content !== undefined && content !== null && typeof content !== "string");
  if (bad !== undefined) return brokenAlready("content of a delta is a string", `the target sent ${describe(bad)}`);
  const text = contents.join("");
  return text === "" ? inconclusive("they held no content") : holds(`the deltas held ${text.length} characters`);
}

/** The text that the deltas of a stream make up; undefined where no choice can be recognised. */
export function streamedText(exchange: Exchange | undefined): string | undefined {
  const choices = choicesOf(exchange);
  const texts = choices.map(({ delta }) => (isObject(delta) ? delta["content"] : undefined));
  return choices.length === 0 ? undefined : texts.filter((text) => typeof text === "string").join("");
}

/** The usage that a stream holds, the last one; undefined where it holds none. */
export const streamedUsage = (exchange: Exchange | undefined): UnknownObject | undefined =>
  chunksOf(exchange)
    .map((chunk) => (isObject(chunk) ? chunk["usage"] : undefined))
    .findLast(isObject);

/** A token makes at most one chunk with content. */
export function tokensCoverChunks(exchange: Exchange | undefined): Judged {
  const tokens = streamedUsage(exchange)?.["completion_tokens"];
  if (typeof tokens !== "number") return inconclusive("the stream says no completion_tokens");
  const texts = choicesOf(exchange).filter(({ delta }) => isObject(delta) && hasText(delta["content"])).length;
  return texts <= tokens
    ? holds(`${texts} chunks held content of ${tokens} completion_tokens`)
    : broken(
        "a chunk with content holds at least one token",
        `${texts} chunks held content of ${tokens} completion_tokens`,
      );
}

/** Whether a chunk says that a limit ended the reply. */
export const endedByLimit = (exchange: Exchange | undefined): boolean =>
  choicesOf(exchange).some(({ finish_reason }) => finish_reason === "length");

/** The first byte is one of the first event: a client that does not know the mark drops the event after it. */
export const beginsWithoutMark = (exchange: Exchange | undefined): Judged =>
  exchange?.answer?.body.startsWith(BYTE_ORDER_MARK)
    ? brokenAlready("a stream begins with its first event", "it began with a byte order mark")
    : holds("the stream began with its first event");

/** The first delta says whose message it is: a client may refuse to gather a message without. */
export function beginsWithRole(exchange: Exchange | undefined): Judged {
  const [first] = choicesOf(exchange);
  const delta = first?.["delta"];
  const role = isObject(delta) ? delta["role"] : undefined;
  return role === ASSISTANT_ROLE
    ? holds(`the first delta had role ${show(role)}`)
    : (first === undefined ? broken : brokenAlready)(
        `the first delta has role ${show(ASSISTANT_ROLE)}`,
        role === undefined ? "it had no role" : `it had ${describe(role)}`,
      );
}

/** All chunks carry the id of one completion. */
export function hasOneId(exchange: Exchange | undefined): Judged {
  const ids = new Set(chunksOf(exchange).flatMap((chunk) => (isObject(chunk) ? [chunk["id"]] : [])));
  return ids.size <= 1
    ? holds(`id was ${show([...ids][0])} throughout`)
    : brokenAlready(
        "the chunks of a stream have one id",
        `they had ${ids.size}: ${[...ids].slice(0, 2).map(show).join(", ")}`,
      );
}

/** Some chunk says why the response ended. */
export function saysWhyItEnded(exchange: Exchange | undefined): Judged {
  const reason = choicesOf(exchange).findLast(({ finish_reason }) => typeof finish_reason === "string")?.[
    "finish_reason"
  ];
  if (reason !== undefined) return holds(`finish_reason was ${show(reason)}`);
  return broken("the last choice has a finish_reason", "no chunk had one");
}

/** The objects among the chunks before the mark of the end, after which clients do not read. */
const chunksBeforeMark = (exchange: Exchange | undefined): readonly UnknownObject[] =>
  chunksOf(exchange).slice(0, streamIn(exchange)?.beforeMark).filter(isObject);

const choicesIn = ({ choices }: UnknownObject): readonly UnknownObject[] =>
  Array.isArray(choices) ? choices.filter(isObject) : [];

/** Nothing of a choice follows its finish_reason: clients that gather a message take it as whole then, or lose the reason. */
export function finishesOnce(exchange: Exchange | undefined): Judged {
  const finished = new Map<unknown, unknown>();
  for (const { index, finish_reason: reason } of chunksBeforeMark(exchange).flatMap(choicesIn)) {
    const before = finished.get(index);
    if (before !== undefined)
      return brokenAlready(
        "finish_reason comes once, in the last chunk of its choice",
        `a chunk with finish_reason ${show(reason)} followed the one with ${show(before)}`,
      );
    if (typeof reason === "string" && reason !== "") finished.set(index, reason);
  }
  return finished.size > 0
    ? holds("nothing of a choice followed its finish_reason")
    : inconclusive("no chunk had a finish_reason");
}

/** created and model are those of the first chunk throughout, and only the first chunk of a choice has a role. */
export function staysTheSame(exchange: Exchange | undefined): Judged {
  const chunks = chunksBeforeMark(exchange);
  for (const name of ["created", "model"]) {
    const [first, other] = new Set(chunks.map((chunk) => chunk[name]));
    if (other !== undefined)
      return brokenAlready(`${name} is the same in all chunks of a stream`, `it was ${show(first)} and ${show(other)}`);
  }
  const roles = chunks
    .flatMap(choicesIn)
    .filter(({ delta }) => isObject(delta) && delta["role"] !== undefined && delta["role"] !== null)
    .map(({ index }) => index);
  return new Set(roles).size === roles.length
    ? holds("created, model and role were those of the first chunk")
    : brokenAlready("the first delta of a choice has the role, and no other", `${roles.length} deltas had one`);
}

/** Usage, where there is any, is in one chunk, which has no choices. */
export function usageStandsAlone(exchange: Exchange | undefined): Judged {
  const holders = chunksBeforeMark(exchange).filter(({ usage }) => isObject(usage));
  const expected = "usage of a stream is in one chunk, which has no choices";
  const other = holders.find((chunk) => choicesIn(chunk).length > 0);
  if (holders.length > 1) return brokenAlready(expected, `${holders.length} chunks had usage`);
  return other === undefined
    ? holds("no chunk with choices had usage")
    : brokenAlready(expected, `a chunk had usage and choices ${show(other["choices"])}`);
}

/** No chunk has usage. */
export function hasNoUsage(exchange: Exchange | undefined): Judged {
  const usage = streamedUsage(exchange);
  return usage === undefined
    ? holds("no chunk had usage")
    : brokenAlready("a stream has usage if its request asks for usage", `the target sent ${show(usage)}`);
}

/** The last event is the mark of the end, unnamed, and no other is. */
export function endsWithDone(exchange: Exchange | undefined): Judged {
  const { events = [] } = streamIn(exchange) ?? {};
  const last = events.at(-1);
  const marks = events.filter(isMark).length;
  if (marks > 1) return broken(`a stream ends with one event ${DONE}`, `${marks} events held ${DONE}`);
  const name = last?.name === "" || last?.name === "message" ? "" : ` of the name ${show(last?.name)}`;
  if (last !== undefined && name === "" && isMark(last)) return holds(`the stream ended with ${DONE}`);
  return broken(`a stream ends with an unnamed event ${DONE}`, `the last event${name} held ${show(last?.data)}`);
}

/** The last chunk before the mark of the end holds the usage of the whole and no choices, and no other chunk holds any. */
export function usageIsStreamed(exchange: Exchange | undefined): Judged {
  const chunks = chunksBeforeMark(exchange);
  const holders = chunks.filter(({ usage }) => isObject(usage));
  const [holder] = holders;
  const expected = "include_usage asks for one chunk with usage, the last one, whose choices are empty";
  if (holder === undefined) return broken(expected, "no chunk had usage");
  if (holders.length > 1) return broken(expected, `${holders.length} chunks had usage`);
  const { choices, usage } = holder;
  if (!Array.isArray(choices) || choices.length > 0)
    return broken(expected, `choices of the chunk with usage was ${show(choices)}`);
  const after = chunks.length - 1 - chunks.indexOf(holder);
  if (after > 0) return broken(expected, `${after} chunks followed it`);
  return holds(`usage was ${show(usage)}`);
}

/** A refusal says why, in the form of the interface. */
export function errorHasMessage(refused: Exchange): Judged {
  const document = documentOf(refused);
  const error = isObject(document) ? document["error"] : undefined;
  const message = isObject(error) ? error["message"] : undefined;
  if (typeof message === "string") return holds(`the message was ${show(message)}`);
  const sent = document === undefined ? `no JSON: ${show(refused.answer?.body ?? "")}` : show(document);
  return broken("the response to an invalid request has an error with a message", `it was ${sent}`, [refused.id]);
}
