/** Judges the body of a streamed chat, once it is whole or has broken off: the extension's rules, without the times. Pure. */

import { isCount, isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { excerpt, quote } from "./detail-text.ts";
import type { Problem } from "./k6-errors.ts";
import { eventsOf, type ServerEvent } from "./sse.ts";
import { declaresEvents, formatOf } from "./stream-format.ts";

/** What a body shows of a stream. */
export interface StreamReading {
  /** The first thing wrong; absent when nothing is. */
  readonly problem?: Problem;
  readonly flags: readonly string[];
  /** Events with content; absent when the answer is no event stream. */
  readonly chunks?: number;
  readonly done_seen?: boolean;
  readonly finish_reason?: string;
  readonly output_tokens?: number;
  readonly token_source?: "usage" | "chunks";
  /** Names the stream when it is no event stream. */
  readonly format?: string;
}

/**
 * Reads the body of an answer to a streamed request.
 * @param whole false when the body broke off: then only what came before counts.
 */
export function readStream(contentType: string, body: string, whole: boolean): StreamReading {
  const format = formatOf(contentType, body);
  if (format === "html") return { problem: malformed("The stream is HTML."), flags: [] };
  if (format === "json") return whole ? { problem: noStream(body), flags: [] } : { flags: [] };
  if (format === "events") return readEvents(contentType, body, whole);
  const empty = whole && body === "";
  return { format, flags: [], ...(empty && { problem: problem("no_done", "The stream ended without a byte.") }) };
}

const problem = (outcome: Problem["outcome"], detail: string): Problem => ({ outcome, detail });
const malformed = (detail: string): Problem => problem("malformed", detail);

function noStream(body: string): Problem {
  const answer = parseJson(body);
  return isObject(answer) && (answer["error"] ?? null) !== null
    ? problem("error_frame", `The answer to a streamed request is an error object: ${excerpt(body)}`)
    : malformed(`The answer is JSON and not a stream; it starts with ${quote(body)}.`);
}

/** What the events so far have shown. */
interface Sight {
  problem: Problem | undefined;
  events: number;
  chunks: number;
  done: boolean;
  finish: string;
  usage: number | undefined;
}

function readEvents(contentType: string, body: string, whole: boolean): StreamReading {
  const sight: Sight = { problem: undefined, events: 0, chunks: 0, done: false, finish: "", usage: undefined };
  const { whole: events, unfinished } = eventsOf(body);
  for (const event of events) see(sight, event);
  if (!whole && sight.events === 0) return { flags: [] };
  // k6 forgets the headers of an answer that broke off.
  const flags = declaresEvents(contentType) || !whole ? [] : ["media-type"];
  if (whole && unfinished !== undefined && !sight.done && sight.problem === undefined) {
    flags.push("unfinished-event");
    see(sight, unfinished);
    if (is(sight.problem, "malformed")) {
      sight.problem = problem("truncated", `The stream broke off within an event: ${quote(unfinished.data)}.`);
    }
  }
  if (whole && !sight.done && sight.finish !== "") flags.push("no-done");
  const wrong = sight.problem ?? (whole ? endProblem(sight, contentType, body) : undefined);
  return {
    ...(wrong !== undefined && { problem: wrong }),
    flags,
    chunks: sight.chunks,
    done_seen: sight.done,
    ...(sight.finish !== "" && { finish_reason: sight.finish }),
    ...(sight.usage === undefined
      ? { output_tokens: sight.chunks, token_source: "chunks" }
      : { output_tokens: sight.usage, token_source: "usage" }),
  };
}

const is = (found: Problem | undefined, outcome: Problem["outcome"]): boolean => found?.outcome === outcome;

/** How a stream without a fault ended, where that is one. */
function endProblem({ done, finish, events }: Sight, contentType: string, body: string): Problem | undefined {
  if (done || finish !== "") return undefined;
  if (events === 0 && body !== "" && !declaresEvents(contentType)) {
    return malformed(`The stream has no event; it starts with ${quote(body)}.`);
  }
  return problem("no_done", `The stream ended after ${events} events with neither [DONE] nor a finish_reason.`);
}

/** Longest event that is read, in characters. */
const LONGEST_EVENT = 16 * 2 ** 20;

/** Takes in one event; events after the first `[DONE]` do not count. */
function see(sight: Sight, event: ServerEvent): void {
  if (sight.done) return;
  sight.events += 1;
  const wrong = readEvent(sight, event);
  sight.problem ??= wrong;
}

function readEvent(sight: Sight, { name, data }: ServerEvent): Problem | undefined {
  if (name === "error") return problem("error_frame", `An error event came: ${excerpt(data)}`);
  if (data === "") return undefined;
  if (data.length > LONGEST_EVENT) return malformed(`An event is longer than ${LONGEST_EVENT} characters.`);
  if (data.trimEnd() === "[DONE]") {
    sight.done = true;
    return undefined;
  }
  const unnamed = name === "" || name === "message";
  const value = parseJson(data);
  if (!isObject(value)) return unnamed ? noObject(value, data) : undefined;
  if ((value["error"] ?? null) !== null) return problem("error_frame", `An event holds an error: ${excerpt(data)}`);
  if (!unnamed && value["choices"] === undefined) return undefined;
  return readChunk(sight, value, data);
}

const noObject = (value: unknown, data: string): Problem =>
  value === undefined
    ? malformed(`An event is not JSON: ${excerpt(data)}`)
    : problem("contract", `An event is JSON but no object: ${excerpt(data)}`);

function readChunk(sight: Sight, { choices, usage }: UnknownObject, data: string): Problem | undefined {
  if (choices !== undefined && choices !== null && !Array.isArray(choices)) {
    return problem("contract", `choices of an event is no array: ${excerpt(data)}`);
  }
  if (isObject(usage) && isCount(usage["completion_tokens"])) sight.usage = usage["completion_tokens"];
  const read = (choices ?? []).map((choice: unknown) => readChoice(sight, choice));
  if (read.includes(true)) sight.chunks += 1;
  const wrong = read.find((found) => typeof found === "string");
  return typeof wrong === "string" ? problem("contract", `${wrong}: ${excerpt(data)}`) : undefined;
}

/** Whether a choice has content, or what is wrong with it. */
function readChoice(sight: Sight, choice: unknown): boolean | string {
  if (!isObject(choice)) return "A choice of an event is no object";
  const { delta, message, finish_reason: reason } = choice;
  if (typeof reason === "string" && reason !== "") sight.finish = reason.slice(0, 64);
  if (delta === undefined || delta === null) return isObject(message) && "An event holds a whole completion";
  if (!isObject(delta)) return "The delta of an event is no object";
  const content = delta["content"] ?? "";
  return typeof content === "string" ? content !== "" : "The content of an event is neither a string nor null";
}
