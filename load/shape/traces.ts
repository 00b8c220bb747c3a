/**
 * Trace files read into arrivals: JSON lines as in the published Mooncake traces, and CSV as in those of Azure's LLM
 * inference and of BurstGPT. Pure: the command line checks a file with the same parser that reads it inside k6.
 */

import { isObject, parseJson } from "../../lib/json.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** Recorded arrivals, one column per fact. */
export interface Trace {
  /** Milliseconds since the first arrival, ascending. */
  readonly offsetsMs: readonly number[];
  /** Lengths in tokens, 0 where the trace does not state one; empty when it states none. */
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
}

/** One arrival of a file. Milliseconds; a length that is not stated is absent. */
interface Row {
  readonly at: number;
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

/** Reads one line; a text says what is wrong with it. */
type ReadLine = (line: string) => Row | string;

/**
 * Reads a trace. Blank lines are skipped, further members and columns ignored.
 * @param fileName names the file in errors.
 * @throws UsageError that names the first bad line.
 */
export function parseTrace(text: string, fileName: string): Trace {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const head = lines[first];
  if (head === undefined) throw unreadable(fileName, "it contains no arrival");
  const isJson = head.trimStart().startsWith("{");
  const read = isJson ? readJson : csvReader(head);
  if (typeof read === "string") throw unreadable(fileName, `line ${first + 1} ${read}`);
  return columnsOf(rows(lines, isJson ? first : first + 1, read, fileName), fileName);
}

function* rows(lines: readonly string[], from: number, read: ReadLine, fileName: string): Generator<Row> {
  let before = { at: Number.NEGATIVE_INFINITY, line: 0 };
  for (let index = from; index < lines.length; index += 1) {
    const source = lines[index] ?? "";
    if (source.trim() === "") continue;
    const row = read(source);
    if (typeof row === "string") throw unreadable(fileName, `line ${index + 1} ${row}`);
    if (row.at < before.at) {
      throw unreadable(fileName, `line ${index + 1} is due before line ${before.line}; sort the lines by time`);
    }
    before = { at: row.at, line: index + 1 };
    yield row;
  }
}

function columnsOf(all: Iterable<Row>, fileName: string): Trace {
  const offsetsMs: number[] = [];
  const inputTokens: number[] = [];
  const outputTokens: number[] = [];
  let start: number | undefined;
  for (const { at, input, output } of all) {
    start ??= at;
    offsetsMs.push(at - start);
    inputTokens.push(input ?? 0);
    outputTokens.push(output ?? 0);
  }
  if (start === undefined) throw unreadable(fileName, "it contains no arrival");
  const stated = (lengths: readonly number[]) => (lengths.some((length) => length > 0) ? lengths : []);
  return { offsetsMs, inputTokens: stated(inputTokens), outputTokens: stated(outputTokens) };
}

const unreadable = (fileName: string, reason: string): UsageError =>
  new UsageError(`Cannot read arrivals from ${fileName}: ${reason}. ${EXAMPLE}`);

const EXAMPLE =
  'A trace has one line per arrival, as JSON such as {"timestamp": 1500, "input_length": 120} or as CSV with a header; see docs/load.md, Traces.';

const EXCERPT = 24;
const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return `"${text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text}"`;
};

/** `{"timestamp": 1500, "input_length": 120, "output_length": 80}`; numbers are milliseconds. */
function readJson(line: string): Row | string {
  const value = parseJson(line);
  if (!isObject(value)) return `is not a JSON object (it starts with ${shown(line.trim())})`;
  const { timestamp } = value;
  const at = typeof timestamp === "string" ? instantOf(timestamp) : timestamp;
  if (typeof at !== "number") return `has no "timestamp" in milliseconds (it is ${shown(timestamp)})`;
  return rowOf(at, value["input_length"], value["output_length"]);
}

/** Names of a CSV file's columns, in lower case and letters only. */
const COLUMNS = {
  time: ["timestamp"],
  input: ["contexttokens", "requesttokens", "inputlength", "inputtokens"],
  output: ["generatedtokens", "responsetokens", "outputlength", "outputtokens"],
} as const;

const SECOND_MS = 1_000;

/** The reader of the lines under a header; its times are date times, or numbers of seconds. */
function csvReader(header: string): ReadLine | string {
  const names = cellsOf(header).map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
  const columnOf = (known: readonly string[]): number => names.findIndex((name) => known.includes(name));
  const [time, input, output] = [columnOf(COLUMNS.time), columnOf(COLUMNS.input), columnOf(COLUMNS.output)];
  if (time < 0) return `is neither a JSON object nor the header of a CSV file with a Timestamp (${shown(header)})`;
  return (line) => {
    const cells = cellsOf(line);
    const at = timeOf(cells[time] ?? "");
    if (at === undefined) return `has no time in the column ${shown(names[time])} (it holds ${shown(cells[time])})`;
    return rowOf(at, numberOf(cells[input]), numberOf(cells[output]));
  };
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
const timeOf = (cell: string): number | undefined => (NUMBER.test(cell) ? Number(cell) * SECOND_MS : instantOf(cell));

function rowOf(at: number, input: unknown, output: unknown): Row | string {
  if (!Number.isFinite(at) || at < 0) return `has an invalid time (${at} ms)`;
  for (const length of [input, output]) {
    if (!isLength(length)) return `has a length that is not a whole number of tokens (it is ${shown(length)})`;
  }
  return { at, input: lengthOf(input), output: lengthOf(output) };
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
  const east = (Number(hours) * 60 + Number(minutes)) * 60 * SECOND_MS * (sign === "-" ? -1 : 1);
  return whole + Number(fraction) * SECOND_MS - east;
}

/** A trace replayed `speed` times as fast. */
export const atSpeed = (trace: Trace, speed: number): Trace =>
  speed === 1 ? trace : { ...trace, offsetsMs: trace.offsetsMs.map((ms) => ms / speed) };

/** Milliseconds that a trace takes: the whole seconds that include its last arrival. */
export const lengthOfTrace = ({ offsetsMs }: Trace): number =>
  (Math.floor((offsetsMs.at(-1) ?? 0) / SECOND_MS) + 1) * SECOND_MS;

/** The part of a trace that is due within `ms` milliseconds: arrivals and tokens. */
export function countWithin(
  { offsetsMs, inputTokens, outputTokens }: Trace,
  ms: number,
  most = Number.POSITIVE_INFINITY,
) {
  const late = offsetsMs.findIndex((offset) => offset >= ms);
  const arrivals = Math.min(late < 0 ? offsetsMs.length : late, most);
  const sum = (lengths: readonly number[], unknown: number): number => {
    let total = 0;
    for (let index = 0; index < arrivals; index += 1) total += lengths[index] || unknown;
    return total;
  };
  return {
    arrivals,
    /** Tokens, where `unknown` stands for a length that is not stated. */
    input: (unknown: number) => sum(inputTokens, unknown),
    output: (unknown: number) => sum(outputTokens, unknown),
  };
}
