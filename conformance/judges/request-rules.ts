/** What a request asked for, in words: for messages that say what was sent and which statement it departs from. */

import {
  ENCODING_FORMATS,
  TEMPERATURE,
  VIDEO_ASPECT_RATIOS,
  VIDEO_DURATIONS,
  VIDEO_PROMPT_MAX,
  VIDEO_RESOLUTIONS,
} from "../../contract/service.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { isObject, parseJson, show } from "../../lib/json.ts";

interface FieldRule {
  /** Its JSON type, in words. */
  readonly type: string;
  readonly fits: (value: unknown) => boolean;
  /** What the document keeps its values to. */
  readonly kept?: string;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const text: FieldRule = { type: "a string", fits: isText };
const among = (values: readonly (string | number)[]): string =>
  `to ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;

const RULES: Readonly<Record<string, FieldRule>> = {
  model: text,
  role: text,
  content: text,
  messages: { type: "an array of messages", fits: Array.isArray },
  stream: { type: "a boolean", fits: (value) => typeof value === "boolean" },
  temperature: { type: "a number", fits: isNumber, kept: `within ${TEMPERATURE.min} to ${TEMPERATURE.max}` },
  max_tokens: { type: "an integer", fits: Number.isInteger },
  input: { type: "a string or an array of strings", fits: (value) => isText(value) || isTexts(value) },
  encoding_format: { ...text, kept: among(ENCODING_FORMATS) },
  prompt: { ...text, kept: `to at most ${VIDEO_PROMPT_MAX} characters` },
  duration: { type: "an integer", fits: Number.isInteger, kept: among(VIDEO_DURATIONS) },
  resolution: { ...text, kept: among(VIDEO_RESOLUTIONS) },
  aspect_ratio: { ...text, kept: among(VIDEO_ASPECT_RATIOS) },
};
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** Which statement a forbidden request departs from, and how: the one field in which it differs from its control. */
export interface Departure {
  /** `the document keeps temperature within 0 to 2` */
  readonly statement: string;
  /** `temperature 2.1`, `a request without model` */
  readonly sent: string;
}

/** Compares a forbidden request with its allowed control. */
export function departureOf(exchange: Exchange | undefined, control: Exchange | undefined): Departure {
  const ours = bodyOf(exchange);
  const field = differing(ours, bodyOf(control));
  const rule = field === undefined ? undefined : RULES[field.name];
  if (field === undefined || rule === undefined) {
    return { statement: "the document does not allow this request", sent: "it" };
  }
  const { name, value } = field;
  if (value === undefined) return { statement: `the document requires ${name}`, sent: `a request without ${name}` };
  const statement =
    rule.fits(value) && rule.kept !== undefined
      ? `the document keeps ${name} ${rule.kept}`
      : `the document has ${name} as ${rule.type}`;
  return { statement, sent: valued(name, value) };
}

/** What an allowed request holds: `temperature 0`, or `model and messages alone`; empty without a body. */
export function askedFor(exchange: Exchange | undefined): string {
  const members = Object.entries(bodyOf(exchange));
  const optional = members.filter(([name]) => !REQUIRED.includes(name));
  if (optional.length > 0) return ` with ${optional.map(([name, value]) => valued(name, value)).join(", ")}`;
  return members.length === 0 ? "" : ` with ${members.map(([name]) => name).join(" and ")} alone`;
}
const REQUIRED = ["model", "messages", "input", "prompt"];

const bodyOf = (exchange: Exchange | undefined): Readonly<Record<string, unknown>> => {
  const body = parseJson(exchange?.request.body ?? "");
  return isObject(body) ? body : {};
};

interface FieldValue {
  readonly name: string;
  /** Undefined when it was left out. */
  readonly value: unknown;
}

/** The first member in which two objects differ; within messages, the member of the first one. */
function differing(
  ours: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): FieldValue | undefined {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const name = names.find((one) => JSON.stringify(ours[one]) !== JSON.stringify(theirs[one]));
  if (name === undefined) return undefined;
  const [mine, other] = [firstOf(ours[name]), firstOf(theirs[name])];
  return (mine && other && differing(mine, other)) ?? { name, value: ours[name] };
}

const firstOf = (value: unknown): Readonly<Record<string, unknown>> | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : undefined;
  return isObject(first) ? first : undefined;
};

const LONG_TEXT = 60;
const valued = (name: string, value: unknown): string =>
  typeof value === "string" && value.length > LONG_TEXT
    ? `a ${name} of ${value.length} characters`
    : `${name} ${show(value)}`;
