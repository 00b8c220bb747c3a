/** Server-sent events of a complete body, by the rules of the WHATWG. Pure: runs in Node and inside k6. */

import { createParser } from "eventsource-parser";

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
}

/** Reads all events; those without a data line do not count. */
export function eventsOf(body: string): Events {
  const events: ServerEvent[] = [];
  const { feed } = createParser({ onEvent: ({ event = "", data }) => void events.push({ name: event, data }) });
  // The parser knows a byte order mark as bytes only. After a CR at the end it waits for the LF that may belong to it.
  feed(body.replace(/^\uFEFF/, "").replace(/\r$/, "\r\n"));
  const whole = [...events];
  // It drops what lacks its blank line, so that the blank line is added to see it.
  feed("\n\n");
  const unfinished = events[whole.length];
  return unfinished === undefined ? { whole } : { whole, unfinished };
}
