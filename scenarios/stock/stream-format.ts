/** The format of a streamed response: by its media type, else by its first characters. Pure. */

/** `events`: an event stream, or what reads like one; `json`: one JSON value, which is not a stream. */
export type Format = "events" | "json" | "json-lines" | "text" | "html";

const DECLARED: Readonly<Record<string, Format>> = {
  "application/json": "json",
  "text/json": "json",
  "application/problem+json": "json",
  "text/html": "html",
  "application/xhtml+xml": "html",
};
const LINES = /^application\/(?:x-ndjson|ndjson|x-?jsonl(?:ines)?|jsonl(?:ines)?|json-lines|stream\+json|json-seq)$/;
const EVENT_STREAM = "text/event-stream";
const EVENT_FIELD = /^(?:data|event|id|retry)?:/;
/** Plain text may begin with another tag. */
const HTML_START = /^<(?:!doctype html|html)/i;

const mediaOf = (contentType: string): string => (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** Whether a response declares an event stream. */
export const declaresEvents = (contentType: string): boolean => mediaOf(contentType) === EVENT_STREAM;

/** The format of a body. */
export function formatOf(contentType: string, body: string): Format {
  const media = mediaOf(contentType);
  const declared = DECLARED[media];
  if (declared !== undefined) return declared;
  const start = body.replace(/^\uFEFF?[\r\n\t ]*/, "");
  const isLines = LINES.test(media);
  if (isLines || media === "text/plain") {
    if (EVENT_FIELD.test(start)) return "events";
    if ((isLines ? /^</ : HTML_START).test(start)) return "html";
    return isLines ? "json-lines" : "text";
  }
  if (start.startsWith("<")) return "html";
  return /^[{[]/.test(start) ? "json" : "events";
}
