/** Secrets that a stream spreads over the texts of several events, none of which contains one. Pure. */

import { isObject, parseJson } from "../../lib/json.ts";
import { REDACTED } from "../../lib/redact.ts";

/** A text in an event, and how to write another one there. */
interface Piece {
  readonly line: number;
  readonly text: string;
  readonly replace: (text: string) => void;
}

/** Members within members that are looked at; a chunk of the specification has 4. */
const DEEPEST = 12;

/**
 * The body of an event stream, where the texts of one member, one event after the other, spell no secret. One within a single
 * text stays.
 * @param redact takes secrets out of a text
 */
export function withoutSplitSecrets(body: string, redact: (text: string) => string): string {
  if (!body.includes("data:")) return body;
  const lines = body.split("\n");
  const events = lines.map((line) => (line.startsWith("data:") ? parseJson(line.slice(5)) : undefined));
  const changed = new Set<number>();
  for (const pieces of piecesOf(events).values()) {
    const whole = pieces.map(({ text }) => redact(text)).join("");
    if (pieces.length < 2 || redact(whole) === whole) continue;
    pieces.forEach(({ line, replace }, index) => {
      replace(index === 0 ? REDACTED : "");
      changed.add(line);
    });
  }
  if (changed.size === 0) return body;
  return lines.map((line, index) => (changed.has(index) ? `data: ${JSON.stringify(events[index])}` : line)).join("\n");
}

/** The texts of the events by the member in which they are, in order. */
function piecesOf(events: readonly unknown[]): ReadonlyMap<string, readonly Piece[]> {
  const pieces = new Map<string, Piece[]>();
  const walk = (line: number, holder: Record<string, unknown> | unknown[], path: string, depth: number): void => {
    for (const [name, value] of Object.entries(holder)) {
      const member = `${path}/${name}`;
      if (typeof value === "string") {
        const known = pieces.get(member) ?? [];
        pieces.set(member, known);
        known.push({ line, text: value, replace: (text) => Object.assign(holder, { [name]: text }) });
      } else if (depth < DEEPEST && (isObject(value) || Array.isArray(value))) walk(line, value, member, depth + 1);
    }
  };
  events.forEach((event, line) => {
    if (isObject(event)) walk(line, event, "", 0);
  });
  return pieces;
}
