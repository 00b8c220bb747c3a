/** The events of a whole body, by the WHATWG rules. Pure. */

export interface ServerEvent {
  /** Empty for an unnamed event. */
  readonly name: string;
  /** Its data lines, joined by line feeds. */
  readonly data: string;
}

export interface Events {
  readonly whole: readonly ServerEvent[];
  /** An event at the end that lacks its blank line. The rules drop it, so the caller decides. */
  readonly unfinished?: ServerEvent;
}

/** Reads all events; those without a data line are none. */
export function eventsOf(body: string): Events {
  const lines = body.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const whole: ServerEvent[] = [];
  let name = "";
  let data: string[] = [];
  // What follows the last line end is a line of its own, without an end.
  const rest = lines.pop() ?? "";
  for (const line of lines) {
    if (line === "") {
      if (data.length > 0) whole.push({ name, data: data.join("\n") });
      name = "";
      data = [];
    } else read(line);
  }
  if (rest !== "") read(rest);
  return data.length > 0 ? { whole, unfinished: { name, data: data.join("\n") } } : { whole };

  function read(line: string): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    if (field === "event") name = value;
  }
}
