/** Evaluates the body of a streamed chat, complete or not, by the rules of the extension, without the times. Pure. */

import { type FLAGS, SIZE_LIMITS, type STREAM_FORMATS, type TOKEN_SOURCES } from "../../formats/outcomes.ts";
import { eventsOf, type ServerEvent } from "../../lib/event-stream.ts";
import { isObject, type UnknownObject } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import { excerpt, quote } from "./detail-text.ts";
import { errorObject, malformed, NO_BYTE, type Problem, problem, tooLarge } from "./problems.ts";
import { jsonFault, parseResponse } from "./response-json.ts";
import { declaresEvents, formatOf } from "./stream-format.ts";
import { linesProblem } from "./stream-lines.ts";
import { type Usage, usageOf } from "./token-usage.ts";

type Flag = (typeof FLAGS)[number];
type StreamFormat = (typeof STREAM_FORMATS)[number];

/** What a body shows of a stream. */
export interface StreamReading extends Usage {
  /** The first problem; absent without one. */
  readonly problem?: Problem;
  readonly flags: Flag[];
  /** Events with content; absent when the response is not an event stream. */
  readonly chunks?: number;
  readonly done_seen?: boolean;
  readonly finish_reason?: string;
  readonly token_source?: (typeof TOKEN_SOURCES)[number];
  /** Set when the stream is not an event stream. */
  readonly format?: StreamFormat;
}

/**
 * Reads the body of a response to a streamed request.
 * @param whole false for an incomplete body: then only what was received counts.
 */
export function readStream(contentType: string, body: string, whole: boolean): StreamReading {
  const format = formatOf(contentType, body);
  if (format === "html") return { problem: malformed("The stream is HTML."), flags: [] };
  if (format === "json") return whole ? { problem: jsonProblem(body), flags: [] } : { flags: [] };
  if (format === "events") return readEvents(contentType, body, whole);
  const wrong = format === "text" ? textProblem(body, whole) : linesProblem(body, whole);
  return { format, flags: [], ...(wrong !== undefined && { problem: wrong }) };
}

const NO_STREAM = "The response to a streamed request is an error object";

const textProblem = (body: string, whole: boolean): Problem | undefined =>
  whole ? (errorObject(body, NO_STREAM) ?? (body === "" ? NO_BYTE : undefined)) : undefined;

const jsonProblem = (body: string): Problem =>
  errorObject(body, NO_STREAM) ?? malformed(`The response is JSON and not a stream; it starts with ${quote(body)}.`);

/** What the events so far contained. */
interface Findings {
  problem: Problem | undefined;
  events: number;
  chunks: number;
  done: boolean;
  finish: string;
  reasoning: boolean;
  usage: Usage;
}

function readEvents(contentType: string, body: string, whole: boolean): StreamReading {
  const findings: Findings = {
    problem: undefined,
    events: 0,
    chunks: 0,
    done: false,
    finish: "",
    reasoning: false,
    usage: {},
  };
  const { whole: events, unfinished } = eventsOf(body);
  for (const event of events) readNext(findings, event);
  if (!whole && findings.events === 0) return { flags: [] };
  // k6 drops the headers of an incomplete response.
  const flags: Flag[] = declaresEvents(contentType) || !whole ? [] : ["media-type"];
  if (whole && unfinished !== undefined && !findings.done && findings.problem === undefined) {
    flags.push("unfinished-event");
    readNext(findings, unfinished);
    if (is(findings.problem, "malformed")) {
      findings.problem = problem("truncated", `The stream ended within an event: ${quote(unfinished.data)}.`);
    }
  }
  if (whole && !findings.done && findings.finish !== "") flags.push("no-done");
  const wrong = findings.problem ?? (whole ? endProblem(findings, contentType, body) : undefined);
  if (whole && wrong === undefined) flags.push(...contentFlags(findings));
  const { output_tokens = findings.chunks } = findings.usage;
  return {
    ...(wrong !== undefined && { problem: wrong }),
    flags,
    chunks: findings.chunks,
    done_seen: findings.done,
    ...(findings.finish !== "" && { finish_reason: findings.finish }),
    ...findings.usage,
    output_tokens,
    token_source: findings.usage.output_tokens === undefined ? "chunks" : "usage",
  };
}

/** That content came at once is seen only of a single event: a complete body does not show its reads. */
function contentFlags({ chunks, reasoning, usage }: Findings): Flag[] {
  if (chunks === 0) return ["empty"];
  const { output_tokens: output = 0, reasoning_tokens: ofReasoning = reasoning ? output : 0 } = usage;
  return chunks === 1 && output - ofReasoning > 1 ? ["buffered"] : [];
}

const is = (found: Problem | undefined, outcome: Problem["outcome"]): boolean => found?.outcome === outcome;

/** What is wrong with the end of a stream whose events are correct. */
function endProblem({ done, finish, events }: Findings, contentType: string, body: string): Problem | undefined {
  if (done || finish !== "") return undefined;
  if (events === 0 && body !== "" && !declaresEvents(contentType)) {
    return malformed(`The stream has no event; it starts with ${quote(body)}.`);
  }
  return problem("no_done", `The stream ended after ${events} events with neither [DONE] nor a finish_reason.`);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Reads one event; events after the first `[DONE]`, and after one that is too large, do not count. */
function readNext(findings: Findings, event: ServerEvent): void {
  if (findings.done || is(findings.problem, "too_large")) return;
  findings.events += 1;
  const wrong = readEvent(findings, event);
  findings.problem ??= wrong;
}

function readEvent(findings: Findings, { name, data }: ServerEvent): Problem | undefined {
  if (name === "error") return problem("error_frame", `An error event was received: ${excerpt(data)}`);
  if (data === "") return undefined;
  if (data.length > SIZE_LIMITS.event) return tooLarge(`An event is longer than ${SIZE_LIMITS.event} bytes.`);
  const unnamed = name === "" || name === "message";
  if (unnamed && data.trimEnd() === "[DONE]") {
    findings.done = true;
    return undefined;
  }
  const value = parseResponse(data);
  if (!isObject(value)) return unnamed ? noObject(value, data) : undefined;
  if ((value["error"] ?? null) !== null) return problem("error_frame", `An event contains an error: ${excerpt(data)}`);
  if (!unnamed && value["choices"] === undefined) return undefined;
  return readChunk(findings, value, data);
}

const noObject = (value: unknown, data: string): Problem =>
  value === undefined
    ? malformed(`An event is ${jsonFault(data)}: ${excerpt(data)}`)
    : problem("contract", `An event is JSON but not an object: ${excerpt(data)}`);

function readChunk(findings: Findings, { choices, usage }: UnknownObject, data: string): Problem | undefined {
  if (choices !== undefined && choices !== null && !Array.isArray(choices)) {
    return problem("contract", `choices of an event is not an array: ${excerpt(data)}`);
  }
  findings.usage = { ...findings.usage, ...usageOf(usage) };
  const read = (choices ?? []).map((choice: unknown) => readChoice(findings, choice));
  if (read.includes(true)) {
    if (findings.chunks === SIZE_LIMITS.chunks) return tooLarge(TOO_MANY);
    findings.chunks += 1;
  }
  const wrong = read.find((found) => typeof found === "string");
  return typeof wrong === "string" ? problem("contract", `${wrong}: ${excerpt(data)}`) : undefined;
}

const TOO_MANY = `The stream has more than ${SIZE_LIMITS.chunks} events with content; the others are not counted.`;

/** Whether a choice has content, or what is wrong with it. */
function readChoice(findings: Findings, choice: unknown): boolean | string {
  if (!isObject(choice)) return "A choice of an event is not an object";
  const { delta, message, finish_reason: reason } = choice;
  if (typeof reason === "string" && reason !== "") findings.finish = shorten(reason, 64);
  if (delta === undefined || delta === null)
    return isObject(message) && "An event contains a message instead of a delta";
  if (!isObject(delta)) return "The delta of an event is not an object";
  if (isText(delta["reasoning_content"]) || isText(delta["reasoning"])) findings.reasoning = true;
  const content = delta["content"] ?? "";
  return typeof content === "string" ? content !== "" : "The content of an event is neither a string nor null";
}
