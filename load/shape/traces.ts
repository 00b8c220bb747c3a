/**
 * Trace files read into arrivals. Pure: the command line checks a file with the same parser that reads it inside k6.
 */

import { type TimeUnit, type TraceProcess, UNIT_MS } from "../../settings/load/arrival-process.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { TraceBlocks } from "./trace-blocks.ts";
import { blocksOf, type TraceTurns, turnsOf } from "./trace-columns.ts";
import { type TraceParts, traceParts } from "./trace-parts.ts";
import { BadTrace, isUsedColumn, type TraceRows, traceRows, USED_MEMBERS } from "./trace-rows.ts";
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
  /** When the last request of each arrival was sent, in milliseconds as `offsetsMs`; absent where each is a single request. */
  readonly endsMs?: readonly number[];
  /** Turns of the conversations that arrivals begin; absent where each is a single request. */
  readonly turns?: TraceTurns;
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
 * Reads traces of which parts are replayed, at their speed. Blank lines are skipped, further members and columns ignored.
 * @param all the processes that are asked for: each file is read once, when the first of its parts is
 * @param isShared whether they are of one load: their times then count from the begin of the file
 * @returns gives what one of the processes replays
 * @throws UsageError that names the first bad line, or says that the unit of its times must be given
 */
export function readTraces(
  all: readonly TraceProcess[],
  isShared: boolean,
  readFile: (file: string) => string,
): (process: TraceProcess) => ReadTrace {
  const files = new Map<string, ReadRows>();
  return (process) => {
    const { file } = process;
    try {
      const rows =
        files.get(file) ??
        readRows(
          readFile(file),
          all.filter((each) => each.file === file),
        );
      files.set(file, rows);
      return partOf(rows, process, isShared);
    } catch (error) {
      if (!(error instanceof BadTrace)) throw error;
      throw new UsageError(`Cannot read arrivals from ${file}: ${error.message}. ${EXAMPLE}`);
    }
  };
}

/** The same of one process, from the text of its file. */
export const readTrace = (text: string, process: TraceProcess, isShared = false): ReadTrace =>
  readTraces([process], isShared, () => text)(process);

const EXAMPLE =
  'A trace has one line per arrival, as JSON such as {"timestamp": 1500, "input_length": 120} or as CSV with a header; see docs/load.md, Traces.';

/** The rows of a file, in its parts. */
interface ReadRows extends Omit<TraceRows, "rows"> {
  readonly parts: TraceParts;
  /** The time of its first row. */
  readonly firstAt: number;
}

function readRows(text: string, all: readonly TraceProcess[]): ReadRows {
  const { rows, ...file } = traceRows(text);
  const parts = traceParts(all);
  let firstAt: number | undefined;
  for (const row of rows) {
    firstAt ??= row.at;
    parts.add(row);
  }
  return { ...file, parts, firstAt: firstAt ?? 0 };
}

function partOf(
  { members, isCsv, log, parts, firstAt }: ReadRows,
  { unit: given, from = 0, to, speed = 1, ...which }: TraceProcess,
  isShared: boolean,
): ReadTrace {
  const all = parts.columnsOf(which);
  const layout = log === undefined ? layoutOf(members) : { name: `${log} log`, by: [] };
  const { times, isInstant } = all;
  const first = (isShared ? firstAt : times[0]) ?? 0;
  const ends = { first, last: times.at(-1) ?? 0, arrivals: times.length };
  const unit = isInstant ? undefined : (given ?? unitOf(ends, layout?.unit));
  const factor = unit === undefined ? 1 : UNIT_MS[unit];
  const allMs = times.map((at) => (at - first) * factor);
  const skipped = allMs.findIndex((ms) => ms >= from);
  const beyond = to === undefined ? -1 : allMs.findIndex((ms) => ms >= to);
  const part = [skipped, beyond < 0 ? times.length : beyond] as const;
  if (skipped < 0 || part[0] >= part[1]) throw new BadTrace(nothingIn(from, to, allMs.at(-1) ?? 0));
  const begin = isShared ? from : (allMs[skipped] ?? 0);
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
  const offsetsMs = allMs.slice(...part).map((ms) => wholeUs((ms - begin) / speed));
  const { turns } = turnsOf(all, ...part);
  const trace = {
    offsetsMs,
    inputTokens: stated(all.inputTokens.slice(...part)),
    outputTokens: stated(all.outputTokens.slice(...part)),
    ...blocksOf(all, ...part),
    ...(all.hasSessions && { sessions: all.sessions.slice(...part) }),
    // Nobody thinks faster than they did: only the conversations follow each other faster.
    ...(turns && { turns, endsMs: offsetsMs.map((ms, at) => ms + took(all, part[0] + at)) }),
  };
  return { trace, source };
}

/** Milliseconds from the first to the last request of an arrival, whose times are dates. */
const took = ({ times, ends }: { readonly times: readonly number[]; readonly ends: readonly number[] }, at: number) =>
  (ends[at] ?? 0) - (times[at] ?? 0);

/** Milliseconds to the microsecond, without what fractions of seconds add. */
const wholeUs = (ms: number): number => Math.round(ms * 1_000) / 1_000;

const nothingIn = (from: number, to: number | undefined, lastMs: number): string =>
  `it has no arrival from ${from / SECOND_MS} s${to === undefined ? "" : ` to ${to / SECOND_MS} s`}; its last one is ${lastMs / SECOND_MS} s after its first`;

const stated = (lengths: readonly number[]): readonly number[] => (lengths.some((length) => length > 0) ? lengths : []);

const SECOND_MS = 1_000;
