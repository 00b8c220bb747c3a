/** Server-sent events of a complete body, by the rules of the WHATWG. Pure: runs in Node and inside k6. */

import { createParser } from "eventsource-parser";
import { withoutMark } from "./text.ts";

export interface ServerEvent {
  /** Empty for an unnamed event. */
  readonly name: string;
  /** Its data lines, joined by line feeds. */
  readonly data: string;
}

export interface Events {
  readonly whole: readonly ServerEvent[];
  /** An event at the end without its blank line. The specification of event streams drops it, so the caller decides. */
  readonly unfinished?: ServerEvent;
  /** There are more events than were read. */
  readonly more: boolean;
}

/** Characters that are parsed at once, so that reading ends soon after the last event that is wanted. */
const STEP = 2 ** 16;

/**
 * Reads events, in time that is linear in the length of the body; those without a data line do not count.
 * @param most events that are read at most
 */
export function eventsOf(body: string, most = Number.POSITIVE_INFINITY): Events {
  const events: ServerEvent[] = [];
  const { feed } = createParser({ onEvent: ({ event = "", data }) => void events.push({ name: event, data }) });
  // The parser knows a byte order mark as bytes only.
  const text = withoutMark(body);
  for (let at = 0; at < text.length && events.length <= most; at += STEP) {
    const follows = text[at] === "\n" && text[at - 1] === "\r" ? 1 : 0;
    feed(withLineFeeds(text.slice(at + follows, at + STEP)));
  }
  const whole = events.slice(0, most);
  if (events.length > most) return { whole, more: true };
  // It drops what lacks its blank line, so that the blank line is added to see it.
  feed("\n\n");
  const unfinished = events[whole.length];
  return unfinished === undefined ? { whole, more: false } : { whole, unfinished, more: false };
}

/** For each line that ends with CR, the parser would look for an LF up to the end. Splitting takes less time than replacing. */
const withLineFeeds = (text: string): string =>
  text.includes("\r") ? text.split("\r\n").join("\n").split("\r").join("\n") : text;
