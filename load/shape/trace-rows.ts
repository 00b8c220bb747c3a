/**
 * The lines of a trace file, whatever its layout: JSON lines or one JSON array (Mooncake, Bailian, AIPerf), and CSV (Azure's traces of
 * LLM inference, BurstGPT). Pure.
 */

import { isObject, parseJson, type UnknownObject } from "../../lib/json.ts";
import { columnName, TRACE_COLUMNS } from "../../settings/load/arrival-process.ts";
import { isAccessLine } from "./access-logs.ts";
import { logOf } from "./log-rows.ts";

/** A trace that cannot be read: why, as a sentence without its end. */
export class BadTrace extends Error {}

/** One arrival of a file; a length that is not stated is absent. */
export interface TraceRow {
  /** `line 3`, or `item 3` of an array. */
  readonly place: string;
  /** In the unit of the file; of an instant in milliseconds since 1970. */
  readonly at: number;
  /** Whether the time is a date. */
  readonly isInstant: boolean;
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  /** Ids of the blocks of its prompt. */
  readonly blocks?: readonly number[] | undefined;
  /** Names its session, or the request that it is in one; absent: it states none. */
  readonly session?: string | undefined;
  /** Names the request before it in its session. */
  readonly follows?: string | undefined;
  /** What the request was, and on whose behalf; absent: it does not say. */
  readonly operation?: string | undefined;
  readonly tenant?: string | undefined;
  readonly model?: string | undefined;
  /** Milliseconds from its start to the end of its response; absent: it does not say. */
  readonly tookMs?: number | undefined;
  /** Whether it holds its prompt itself. */
  readonly hasText: boolean;
}

/** The rows of a file, with the names of its members or columns: those of its first entry. */
export interface TraceRows {
  readonly members: readonly string[];
  readonly isCsv: boolean;
  /** Name of the log that it is; absent for a trace. */
  readonly log?: string;
  readonly rows: Iterable<TraceRow>;
}

type Read = Omit<TraceRow, "place">;

/** @throws BadTrace for a file without arrivals, or of which neither a line of JSON nor a header is read */
export function traceRows(text: string): TraceRows {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const head = lines[first]?.trimStart();
  if (head === undefined) throw new BadTrace("it contains no arrival");
  // A time in brackets is no list.
  if (head.startsWith("[") && !/^\[\d{4}-/.test(head)) return ofArray(text);
  const isJson = head.startsWith("{");
  const source = placed(lines, first);
  const members = isJson ? parseJson(head) : head;
  const log = logRows(members, () => (isJson ? json(source) : source));
  if (log !== undefined) return log;
  if (!isJson && isAccessLine(head)) {
    throw new BadTrace(`line ${first + 1} states no duration: nginx writes it with $request_time in its log_format`);
  }
  if (!isJson) return ofCsv(head, first, placed(lines, first + 1));
  return {
    members: isObject(members) ? Object.keys(members) : [],
    isCsv: false,
    rows: each(source, (line) => readJson(parseJson(line), line)),
  };
}

function ofArray(text: string): TraceRows {
  const items = parseJson(text.replace(/^\uFEFF/, ""));
  if (!Array.isArray(items)) throw new BadTrace("it begins with [ and is not one JSON array");
  const [first] = items;
  const source = items.map((item: unknown, at): [string, unknown] => [`item ${at + 1}`, item]);
  const log = logRows(first, () => source);
  if (log !== undefined) return log;
  return {
    members: isObject(first) ? Object.keys(first) : [],
    isCsv: false,
    rows: each(source, (item) => readJson(item, JSON.stringify(item) ?? "")),
  };
}

function* json(lines: Iterable<[place: string, line: string]>): Generator<[string, unknown]> {
  for (const [place, line] of lines) yield [place, parseJson(line)];
}

/** The calls that a log tells of, in the order of their starts; undefined for another file. @throws BadTrace where a line is of no log */
function logRows(first: unknown, entries: () => Iterable<[place: string, entry: unknown]>): TraceRows | undefined {
  const log = logOf(first);
  if (log === undefined) return undefined;
  const rows: TraceRow[] = [];
  for (const [place, entry] of entries()) {
    const calls = log.calls(entry);
    if (calls === undefined) throw new BadTrace(`${place} is not an entry of a log of ${log.name}`);
    for (const { at, ...call } of calls) {
      const row = rowOf(at, true, { ...call, hasText: false });
      if (typeof row === "string") throw new BadTrace(`${place} ${row}`);
      rows.push({ place, ...row });
    }
  }
  if (rows.length === 0) throw new BadTrace(`it is a log of ${log.name} without a call of a model`);
  return { members: [], isCsv: false, log: log.name, rows: rows.sort((a, b) => a.at - b.at) };
}

/** The lines that are not blank, with their places. */
function* placed(lines: readonly string[], from: number): Generator<[place: string, line: string]> {
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (line.trim() !== "") yield [`line ${index + 1}`, line];
  }
}

function* each<T>(source: Iterable<[place: string, from: T]>, read: (from: T) => Read | string): Generator<TraceRow> {
  for (const [place, from] of source) {
    const row = read(from);
    if (typeof row === "string") throw new BadTrace(`${place} ${row}`);
    yield { place, ...row };
  }
}

const EXCERPT = 24;
const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return `"${text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text}"`;
};

/** Members that hold a prompt. */
const TEXTS = ["text", "texts", "text_input", "prompt", "messages"] as const;

/** Members and columns that name sessions. */
export const SESSION_MEMBERS: readonly string[] = ["session_id", "chat_id", "parent_chat_id", "Session ID"];

/** What a row says of its session: that of AIPerf by its name, that of Bailian by the request that it follows. */
function sessionOf({
  session_id: session,
  chat_id: chat,
  parent_chat_id: parent,
}: UnknownObject): Pick<TraceRow, "session" | "follows"> {
  if (isId(session)) return { session: String(session) };
  if (!isId(chat)) return {};
  return { session: String(chat), ...(isId(parent) && Number(parent) >= 0 && { follows: String(parent) }) };
}

const namedIn = (of: UnknownObject): Pick<TraceRow, "operation" | "tenant" | "model" | "tookMs"> => {
  const { operation, tenant, model, duration_ms: tookMs } = of;
  return {
    ...(typeof operation === "string" && { operation }),
    ...(typeof tenant === "string" && { tenant }),
    ...(typeof model === "string" && { model }),
    ...(typeof tookMs === "number" && tookMs >= 0 && { tookMs }),
  };
};

const isId = (value: unknown): boolean => typeof value === "number" || (typeof value === "string" && value !== "");

/** The members that are used of a row of JSON. */
export const USED_MEMBERS: readonly string[] = [
  ...["timestamp", "duration_ms", "input_length", "output_length", "hash_ids", "operation", "tenant", "model"],
  ...TEXTS,
];

function readJson(value: unknown, source: string): Read | string {
  if (!isObject(value)) return `is not a JSON object (it starts with ${shown(source.trim())})`;
  const { timestamp } = value;
  const ofSession = whySession(value);
  if (ofSession !== undefined) return ofSession;
  const instant = typeof timestamp === "string" ? instantOf(timestamp) : undefined;
  const at = instant ?? timestamp;
  if (typeof at !== "number") return `has no "timestamp" (it is ${shown(timestamp)})`;
  const blocks = value["hash_ids"] ?? undefined;
  if (blocks !== undefined && !isIds(blocks)) return `has "hash_ids" that are not a list of whole numbers`;
  const hasText = TEXTS.some((name) => (value[name] ?? undefined) !== undefined);
  return rowOf(at, instant !== undefined, {
    input: hasText ? undefined : value["input_length"],
    output: value["output_length"],
    ...sessionOf(value),
    ...(!hasText && isIds(blocks) && blocks.length > 0 && { blocks }),
    ...namedIn(value),
    hasText,
  });
}

/** Why an entry of AIPerf is a session, or a turn that follows another, and no request at a time of its own; undefined where it is none. */
function whySession({ turns, timestamp, delay, session_id: session }: UnknownObject): string | undefined {
  if (Array.isArray(turns)) {
    return "is a session with its turns (AIPerf multi-turn), and a trace has a line per request. Send the sessions at a rate: --prompts FILE --turns 20 --rate 1";
  }
  if (timestamp !== undefined || (delay === undefined && session === undefined)) return undefined;
  return "is a turn of a session (AIPerf) that comes some time after another, and a trace has a timestamp per request. Give each line its timestamp, or send conversations at a rate: --turns, --set think-time and --input-tokens or --prompts";
}

const isIds = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(Number.isSafeInteger);

/** Whether a column of a CSV file is used, whatever else is set. */
export const isUsedColumn = (name: string): boolean =>
  [TRACE_COLUMNS.time, TRACE_COLUMNS.input, TRACE_COLUMNS.output].some((known: readonly string[]) =>
    known.includes(columnName(name)),
  );

/** The rows under a header; their times are date times, or numbers. */
function ofCsv(header: string, at: number, source: Iterable<[string, string]>): TraceRows {
  const members = cellsOf(header);
  const names = members.map(columnName);
  const columnOf = (known: readonly string[]): number => names.findIndex((name) => known.includes(name));
  const [time, input, output] = [
    columnOf(TRACE_COLUMNS.time),
    columnOf(TRACE_COLUMNS.input),
    columnOf(TRACE_COLUMNS.output),
  ];
  const session = columnOf(TRACE_COLUMNS.session);
  if (time < 0) {
    throw new BadTrace(
      `line ${at + 1} is neither a JSON object nor the header of a CSV file with a Timestamp (${shown(header)})`,
    );
  }
  const rows = each(source, (line) => {
    const cells = cellsOf(line);
    const cell = cells[time] ?? "";
    const instant = NUMBER.test(cell) ? undefined : instantOf(cell);
    const found = NUMBER.test(cell) ? Number(cell) : instant;
    if (found === undefined) return `has no time in the column ${shown(names[time])} (it holds ${shown(cells[time])})`;
    const lengths = { input: numberOf(cells[input]), output: numberOf(cells[output]) };
    const named = cells[session] || undefined;
    return rowOf(found, instant !== undefined, { ...lengths, session: named, hasText: false });
  });
  return { members, isCsv: true, rows };
}

/** Cells of a CSV line; one in quotes may hold commas. */
const cellsOf = (line: string): readonly string[] =>
  (line.match(/(?:^|,)(?:"(?:[^"]|"")*"|[^,]*)/g) ?? []).map((cell) =>
    cell
      .replace(/^,/, "")
      .trim()
      .replace(/^"(.*)"$/, "$1")
      .replaceAll('""', '"'),
  );

const NUMBER = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** A number if the text is one; other text is kept, so that the error can show it. */
const numberOf = (cell: string | undefined): unknown =>
  cell === undefined || cell === "" ? undefined : NUMBER.test(cell) ? Number(cell) : cell;

interface Lengths extends Omit<TraceRow, "place" | "at" | "isInstant" | "input" | "output"> {
  readonly input: unknown;
  readonly output: unknown;
}

function rowOf(at: number, isInstant: boolean, { input, output, ...others }: Lengths): Read | string {
  if (!Number.isFinite(at) || at < 0) return `has an invalid time (${at})`;
  for (const length of [input, output]) {
    if (!isLength(length)) return `has a length that is not a whole number of tokens (it is ${shown(length)})`;
  }
  return { at, isInstant, input: lengthOf(input), output: lengthOf(output), ...others };
}

const isLength = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0);
/** A recorded length of 0 counts as 1: max_tokens must be at least 1. */
const lengthOf = (value: unknown): number | undefined => (typeof value === "number" ? Math.max(1, value) : undefined);

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?\s*(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** Milliseconds since 1970 of `2023-11-16 18:15:46.6805900`; without a zone it is taken for UTC. */
function instantOf(text: string): number | undefined {
  const parts = DATE_TIME.exec(text.trim());
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "0", sign, hours = 0, minutes = 0] = parts;
  const whole = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const east = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  return whole + Number(fraction) * 1_000 - east;
}
