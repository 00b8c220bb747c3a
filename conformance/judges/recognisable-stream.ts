/**
 * Whether the response to a request with stream true is a stream of a chat. The specification does not show the format, so
 * no format is wrong; but a response in which nothing can be recognised proves nothing, and an error is no stream.
 */

import type { Exchange } from "../../formats/exchanges.ts";
import { PAGE } from "../../lib/foreign-page.ts";
import { describe, isErrorObject, isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { beyondLimits } from "../../lib/json-limits.ts";
import { shorten } from "../../lib/text.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import { isListOfObjects, type Judged, membersOf } from "./acceptance.ts";
import { requestOf } from "./exchange-kinds.ts";
import { beyondReading, documentOf } from "./json-path.ts";
import { readOnce } from "./read-once.ts";
import { isSuccess, isUnread, returned } from "./status.ts";
import { LIMITS, MOST_EVENTS, streamIn } from "./stream-events.ts";

const EXPECTED = "with stream true the response is streamed";

/** An event, or a line of JSON. */
interface Piece {
  /** The name of the event; empty for an unnamed one and for a line. */
  readonly name: string;
  readonly text: string;
  /** Its objects: one, or one per line. */
  readonly objects: readonly UnknownObject[];
}

function objectIn(text: string): UnknownObject | undefined {
  const value = beyondLimits(text, LIMITS) === undefined ? parseJson(text) : undefined;
  return isObject(value) ? value : undefined;
}

/** Lines that are JSON objects, also after a byte order mark, the separator of application/json-seq, or the name of a field. */
function jsonLinesIn(body: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let read = 0;
  for (const [line] of body.matchAll(/[^\r\n]+/g)) {
    const text = line.replace(/^[^\w{]*(?:data:\s*)?/, "");
    const object = text.startsWith("{") ? objectIn(text) : undefined;
    if (object !== undefined) pieces.push({ name: "", text, objects: [object] });
    read += 1;
    if (read > MOST_EVENTS) break;
  }
  return pieces;
}

const linesIn = readOnce(jsonLinesIn);

/** The events of a response without the mark of the end, or, when no event ends with a blank line, its lines of JSON. */
function piecesOf(exchange: Exchange | undefined): readonly Piece[] {
  const stream = streamIn(exchange);
  if (stream === undefined || stream.events.length === 0) return linesIn(exchange) ?? [];
  return stream.chunks.map(({ name, data, value }) => {
    if (isObject(value)) return { name, text: data, objects: [value] };
    // Without blank lines between them, events are read as one.
    return {
      name,
      text: data,
      objects: data.includes("\n") ? jsonLinesIn(data).flatMap(({ objects }) => objects) : [],
    };
  });
}

const hasChoices = ({ choices }: UnknownObject): boolean => isListOfObjects(choices);
const isError = ({ name, objects }: Piece): boolean =>
  name === "error" || (objects.length > 0 && objects.every(isErrorObject));

/** A stream of a chat, in whatever format. Inconclusive when nothing in it can be recognised. */
export function isChatStream(exchange: Exchange | undefined): Judged {
  const { answer, failure } = exchange ?? {};
  if (!isSuccess(exchange) || answer === undefined) return inconclusive(returned(exchange));
  if (failure !== undefined && isUnread(exchange)) return inconclusive(`the response was not read: ${failure.message}`);
  const found = judgeBody(exchange, answer.body);
  if (found.kind === "holds" || (failure === undefined && !answer.truncated)) return found;
  if (answer.truncated) return inconclusive("the response was longer than what Assay reads of one");
  const place = answer.body === "" ? "before its first byte" : "before anything in it was recognisable";
  return inconclusive(`the stream was cut ${place}: ${failure?.message}`);
}

function judgeBody(exchange: Exchange | undefined, body: string): Judged {
  if (body === "") return broken(EXPECTED, "the body was empty");
  if (body.trim() === "") return broken(EXPECTED, "the body was blank");
  if (PAGE.test(body)) return broken(EXPECTED, "the target sent an HTML or XML page");
  const document = documentOf(exchange);
  return document === undefined ? judgePieces(exchange, body) : judgeDocument(exchange, document);
}

/** One JSON value is the whole body. */
function judgeDocument(exchange: Exchange | undefined, document: unknown): Judged {
  if (!isObject(document)) return broken(EXPECTED, `the target sent ${describe(document)} alone`);
  if (hasChoices(document)) return holds("the response had choices");
  if (isEcho(exchange, document)) return broken(EXPECTED, "the target sent the request back");
  if (isErrorObject(document)) return broken(EXPECTED, `the target sent an error: ${errorIn(document)}`);
  return broken(EXPECTED, `the target sent ${membersOf(document)} alone`);
}

function judgePieces(exchange: Exchange | undefined, body: string): Judged {
  const pieces = piecesOf(exchange);
  if (pieces.some(({ objects }) => objects.some(hasChoices))) return holds("the stream had choices");
  const [first] = pieces;
  if (first !== undefined && pieces.every(isError)) {
    const [object] = first.objects;
    return broken(EXPECTED, `it held nothing but an error: ${object ? errorIn(object) : shorten(first.text, SHOWN)}`);
  }
  if (first !== undefined && pieces.every(({ objects: [object] }) => object !== undefined && isEcho(exchange, object)))
    return broken(EXPECTED, "the target sent the request back");
  const beyond = beyondReading(exchange);
  if (first === undefined && beyond !== undefined)
    return inconclusive(`the response is JSON ${beyond}, which Assay does not read`);
  // Of a format that is not known, pieces that differ are the least that tells a stream from one message.
  const different = new Set(pieces.map(({ text }) => text)).size;
  if (different > 1 && !pieces.some(isError)) return holds(`the stream was ${pieces.length} events or lines of JSON`);
  return inconclusive(
    `nothing in the response is recognisable as a stream of a chat: ${JSON.stringify(shorten(body, SHOWN))}`,
  );
}

const SHOWN = 120;
const errorIn = (document: UnknownObject): string => shorten(JSON.stringify(document["error"] ?? document), SHOWN);

/** The error in a stream that has more than it: the target did not finish it. Undefined where there is none. */
export function errorWithin(exchange: Exchange | undefined): string | undefined {
  const piece = piecesOf(exchange).find(isError);
  const [object] = piece?.objects ?? [];
  return piece && (object === undefined ? shorten(piece.text, SHOWN) : errorIn(object));
}

/** The error of a stream that has nothing of a reply before it, at most the role of who replies; undefined of any other. */
export const errorAlone = (exchange: Exchange | undefined): string | undefined =>
  piecesOf(exchange).some(({ objects }) => objects.some(hasReply)) ? undefined : errorWithin(exchange);

/** Whether a piece of a stream holds something of a reply: text, or whatever else a delta has than its role. */
const hasReply = ({ choices }: UnknownObject): boolean =>
  Array.isArray(choices) &&
  choices.filter(isObject).some(({ delta, message, text }) => {
    const members = [message, delta].filter(isObject).flatMap((part) => Object.entries(part));
    const values = members.flatMap(([name, value]) => (name === "role" ? [] : [value]));
    return [text, ...values].some((value) => value !== undefined && value !== null && value !== "");
  });

/** The request, as it was or written anew. */
const isEcho = (exchange: Exchange | undefined, document: UnknownObject): boolean =>
  JSON.stringify(document) === JSON.stringify(requestOf(exchange));
