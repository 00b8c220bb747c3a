/**
 * Trace files read into arrivals. Pure: the command line checks a file with the same parser that reads it inside k6.
 */

import { UsageError } from "../../settings/usage-error.ts";
import { type TimeUnit, type TraceProcess, UNIT_MS } from "../spec/arrival-process.ts";
import { blockSizeOf, type TraceBlocks } from "./trace-blocks.ts";
import { BadTrace, isUsedColumn, type TraceRow, traceRows, USED_MEMBERS } from "./trace-rows.ts";
import { layoutOf, unitOf, unitSince1970 } from "./trace-units.ts";

/** Recorded arrivals, one column per fact. */
export interface Trace {
  /** Milliseconds since the first arrival, ascending. */
  readonly offsetsMs: readonly number[];
  /** Lengths in tokens, 0 where the trace does not state one; empty when it states none. */
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
  /** Which prompts share what; absent where the trace does not state it. */
  readonly blocks?: TraceBlocks;
  /** The session of each arrival, by a number; absent where the trace states none. */
  readonly sessions?: readonly number[];
}

/** What a file says of itself, or what was found of it. */
export interface TraceSource {
  /** Published layout; absent for one that is not known. */
  readonly layout?: string;
  /** Of its times; absent where they are dates. */
  readonly unit?: TimeUnit;
  /** Its first time: milliseconds since 1970, or since a start of its own. */
  readonly firstMs: number;
  readonly isSince1970: boolean;
  /** Whether each arrival has its prompt in the file. */
  readonly hasTexts: boolean;
  /** Number of the first entry that is replayed, from 0. */
  readonly skipped: number;
  /** What its requests were, where it says so. */
  readonly operation?: string;
  /** Members of its entries that are not used. */
  readonly unused: readonly string[];
}

/** A trace as it is replayed, and where it is from. */
export interface ReadTrace {
  readonly trace: Trace;
  readonly source: TraceSource;
}

/**
 * Reads the part of a trace that is replayed, at its speed. Blank lines are skipped, further members and columns ignored.
 * @throws UsageError that names the first bad line, or says that the unit of its times must be given
 */
export function readTrace(text: string, process: TraceProcess): ReadTrace {
  try {
    return readRows(text, process);
  } catch (error) {
    if (!(error instanceof BadTrace)) throw error;
    throw new UsageError(`Cannot read arrivals from ${process.file}: ${error.message}. ${EXAMPLE}`);
  }
}

const EXAMPLE =
  'A trace has one line per arrival, as JSON such as {"timestamp": 1500, "input_length": 120} or as CSV with a header; see docs/load.md, Traces.';

function readRows(text: string, { unit: given, from = 0, to, speed = 1, ...which }: TraceProcess): ReadTrace {
  const { members, isCsv, log, rows } = traceRows(text);
  const all = columnsOf(chosenOf(rows, which));
  const layout = log === undefined ? layoutOf(members) : { name: `${log} log`, by: [] };
  const { times, isInstant } = all;
  const [first = 0] = times;
  const ends = { first, last: times.at(-1) ?? 0, arrivals: times.length };
  const unit = isInstant ? undefined : (given ?? unitOf(ends, layout?.unit));
  const factor = unit === undefined ? 1 : UNIT_MS[unit];
  const allMs = times.map((at) => (at - first) * factor);
  const skipped = allMs.findIndex((ms) => ms >= from);
  const beyond = to === undefined ? -1 : allMs.findIndex((ms) => ms >= to);
  const part = [skipped, beyond < 0 ? times.length : beyond] as const;
  if (skipped < 0 || part[0] >= part[1]) throw new BadTrace(nothingIn(from, to, allMs.at(-1) ?? 0));
  const begin = allMs[skipped] ?? 0;
  const source = {
    ...(layout && { layout: layout.name }),
    ...(all.operation !== undefined && { operation: all.operation }),
    ...(unit && { unit }),
    firstMs: (times[skipped] ?? 0) * factor,
    isSince1970: unit === undefined || unitSince1970(first) === unit,
    hasTexts: all.hasTexts,
    skipped,
    unused: members.filter((name) => !(isCsv ? isUsedColumn(name) : USED_MEMBERS.includes(name))),
  };
  const trace = {
    offsetsMs: allMs.slice(...part).map((ms) => wholeUs((ms - begin) / speed)),
    inputTokens: stated(all.inputTokens.slice(...part)),
    outputTokens: stated(all.outputTokens.slice(...part)),
    ...blocksOf(all, ...part),
    ...(all.hasSessions && { sessions: all.sessions.slice(...part) }),
  };
  return { trace, source };
}

type Which = Pick<TraceProcess, "operation" | "tenant">;

/**
 * The rows of one operation and one tenant.
 * @throws BadTrace where there is none, where rows of several operations would be sent as one, or where their texts have other places
 */
function* chosenOf(rows: Iterable<TraceRow>, which: Which): Generator<TraceRow> {
  const found = { operation: new Set<string>(), tenant: new Set<string>() };
  const isAll = which.operation === undefined && which.tenant === undefined;
  const sent = new Set<string | undefined>();
  for (const row of rows) {
    if (row.operation !== undefined) found.operation.add(row.operation);
    if (row.tenant !== undefined) found.tenant.add(row.tenant);
    if (!isAll && row.hasText) throw new BadTrace("a part of it cannot be chosen by operation or tenant: it has texts");
    if ((which.operation ?? row.operation) !== row.operation || (which.tenant ?? row.tenant) !== row.tenant) continue;
    sent.add(row.operation);
    yield row;
  }
  const listed = (names: ReadonlySet<string | undefined>): string =>
    [...names]
      .map((name) => name ?? "not stated")
      .sort()
      .join(", ") || "none";
  if (sent.size > 1) {
    throw new BadTrace(
      `its requests are of several operations (${listed(sent)}), and one is sent: choose it, such as trace:FILE,operation=${[...found.operation][0]}`,
    );
  }
  if (sent.size > 0 || isAll) return;
  throw new BadTrace(
    `no request is of ${[which.operation, which.tenant].filter((name) => name !== undefined).join(" and ")}; operations: ${listed(found.operation)}; tenants: ${listed(found.tenant)}`,
  );
}

/** Milliseconds to the microsecond, without what fractions of seconds add. */
const wholeUs = (ms: number): number => Math.round(ms * 1_000) / 1_000;

const nothingIn = (from: number, to: number | undefined, lastMs: number): string =>
  `it has no arrival from ${from / SECOND_MS} s${to === undefined ? "" : ` to ${to / SECOND_MS} s`}; its last one is ${lastMs / SECOND_MS} s after its first`;

const stated = (lengths: readonly number[]): readonly number[] => (lengths.some((length) => length > 0) ? lengths : []);

/** All rows of a file, one column per fact: it may have millions. */
interface Columns {
  readonly times: number[];
  readonly inputTokens: number[];
  readonly outputTokens: number[];
  readonly ids: number[];
  readonly starts: number[];
  readonly sessions: number[];
  hasSessions: boolean;
  isInstant: boolean;
  hasTexts: boolean;
  operation?: string | undefined;
}

function columnsOf(rows: Iterable<TraceRow>): Columns {
  const all: Columns = {
    ...{ times: [], inputTokens: [], outputTokens: [], ids: [], starts: [0], sessions: [] },
    ...{ hasSessions: false, isInstant: false, hasTexts: false },
  };
  const begun = new Map<string, number>();
  let before: TraceRow | undefined;
  for (const row of rows) {
    if (before !== undefined) checkFollows(row, before);
    all.times.push(row.at);
    all.inputTokens.push(row.input ?? 0);
    all.outputTokens.push(row.output ?? 0);
    for (const id of (row.input !== undefined && row.blocks) || []) all.ids.push(id);
    all.starts.push(all.ids.length);
    all.sessions.push(sessionOf(row, all.sessions.length, begun));
    all.hasSessions ||= row.session !== undefined;
    before = row;
  }
  if (before === undefined) throw new BadTrace("it contains no arrival");
  const { isInstant, hasText: hasTexts, operation } = before;
  return Object.assign(all, { isInstant, hasTexts, operation });
}

/** The number of the first arrival of a session. @param begun those of the sessions, or requests, before it by their names */
function sessionOf({ session, follows = session }: TraceRow, nth: number, begun: Map<string, number>): number {
  if (session === undefined || follows === undefined) return nth;
  const first = begun.get(follows) ?? nth;
  begun.set(session, first);
  return first;
}

/** @throws BadTrace unless a row is due when or after the one before is, and has its time and its prompt as that has */
function checkFollows(row: TraceRow, before: TraceRow): void {
  if (row.isInstant !== before.isInstant) {
    throw new BadTrace(`${row.place} has a ${row.isInstant ? "date" : "number"} as its time, and ${before.place} not`);
  }
  if (row.at < before.at) throw new BadTrace(`${row.place} is due before ${before.place}; sort the lines by time`);
  if (row.hasText === before.hasText) return;
  throw new BadTrace(`of ${before.place} and ${row.place} one has a text and the other has none`);
}

/** The blocks of a part of the rows, in the size that fits all of them. */
function blocksOf(
  { inputTokens, ids, starts }: Columns,
  begin: number,
  end: number,
): { readonly blocks?: TraceBlocks } {
  const sized = inputTokens.flatMap((tokens, row) => {
    const count = (starts[row + 1] ?? 0) - (starts[row] ?? 0);
    return count === 0 ? [] : [{ tokens, ids: count }];
  });
  if (sized.length === 0) return {};
  const from = starts[begin] ?? 0;
  return {
    blocks: {
      tokens: blockSizeOf(sized),
      ids: ids.slice(from, starts[end]),
      starts: starts.slice(begin, end + 1).map((at) => at - from),
    },
  };
}

const SECOND_MS = 1_000;

/** Milliseconds that a trace takes: the whole seconds that include its last arrival. */
export const lengthOfTrace = ({ offsetsMs }: Pick<Trace, "offsetsMs">): number =>
  (Math.floor((offsetsMs.at(-1) ?? 0) / SECOND_MS) + 1) * SECOND_MS;

/** What limits a replay. */
interface Limits {
  readonly warmup: number;
  readonly duration: number;
  readonly maxRequests?: number | undefined;
}

/** Arrivals of a trace that are replayed, those of its warm-up included. */
export const arrivalsOfTrace = (
  trace: Trace,
  { warmup, duration, maxRequests = Number.POSITIVE_INFINITY }: Limits,
): number => countWithin(trace, warmup + duration, countWithin(trace, warmup).arrivals + maxRequests).arrivals;

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
