/**
 * Trace files read into arrivals. Pure: the command line checks a file with the same parser that reads it inside k6.
 */

import { UsageError } from "../../settings/usage-error.ts";
import { type TimeUnit, type TraceProcess, UNIT_MS } from "../spec/arrival-process.ts";
import type { TraceBlocks } from "./trace-blocks.ts";
import { blocksOf, columnsOf, type TraceTurns, turnsOf } from "./trace-columns.ts";
import { BadTrace, isUsedColumn, type TraceRow, type TraceRows, traceRows, USED_MEMBERS } from "./trace-rows.ts";
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
 * Reads the part of a trace that is replayed, at its speed. Blank lines are skipped, further members and columns ignored.
 * @param isShared whether other requests of the file are replayed beside it: its times then count from the begin of the file
 * @throws UsageError that names the first bad line, or says that the unit of its times must be given
 */
export function readTrace(text: string, process: TraceProcess, isShared = false): ReadTrace {
  try {
    return readRows(text, process, isShared);
  } catch (error) {
    if (!(error instanceof BadTrace)) throw error;
    throw new UsageError(`Cannot read arrivals from ${process.file}: ${error.message}. ${EXAMPLE}`);
  }
}

const EXAMPLE =
  'A trace has one line per arrival, as JSON such as {"timestamp": 1500, "input_length": 120} or as CSV with a header; see docs/load.md, Traces.';

function readRows(
  text: string,
  { unit: given, from = 0, to, speed = 1, ...which }: TraceProcess,
  isShared: boolean,
): ReadTrace {
  const { members, isCsv, log, rows } = traceRows(text);
  const file = firstOf(rows);
  const all = columnsOf(chosenOf(file.rows, which));
  const layout = log === undefined ? layoutOf(members) : { name: `${log} log`, by: [] };
  const { times, isInstant } = all;
  const first = (isShared ? file.at() : times[0]) ?? 0;
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

/** The rows, and the time of the first once they were read. */
function firstOf(rows: TraceRows["rows"]): {
  readonly rows: Iterable<TraceRow>;
  readonly at: () => number | undefined;
} {
  let at: number | undefined;
  function* noted(): Generator<TraceRow> {
    for (const row of rows) {
      at ??= row.at;
      yield row;
    }
  }
  return { rows: noted(), at: () => at };
}

const CHOICES = ["operation", "tenant", "model"] as const;
type Which = Pick<TraceProcess, (typeof CHOICES)[number]>;

/**
 * The rows of one operation, one tenant and one model.
 * @throws BadTrace where there is none, where rows of several operations would be sent as one, or where their texts have other places
 */
function* chosenOf(rows: Iterable<TraceRow>, which: Which): Generator<TraceRow> {
  const found = Object.fromEntries(CHOICES.map((name) => [name, new Set<string>()]));
  const chosen = CHOICES.filter((name) => which[name] !== undefined);
  const sent = new Set<string | undefined>();
  for (const row of rows) {
    for (const name of CHOICES) if (row[name] !== undefined) found[name]?.add(row[name]);
    if (chosen.length > 0 && row.hasText) {
      throw new BadTrace("a part of it cannot be chosen by operation, tenant or model: it has texts");
    }
    if (!chosen.every((name) => row[name] === which[name])) continue;
    sent.add(row.operation);
    yield row;
  }
  const listed = (names: Iterable<string | undefined> = []): string =>
    [...names]
      .map((name) => name ?? "not stated")
      .sort()
      .join(", ") || "none";
  if (sent.size > 1) {
    throw new BadTrace(
      `its requests are of several operations (${listed(sent)}), and one is sent: choose it, such as trace:FILE,operation=${[...(found["operation"] ?? [])][0]}, or send all: --workload trace:FILE`,
    );
  }
  if (sent.size > 0 || chosen.length === 0) return;
  throw new BadTrace(
    `no request is of ${chosen.map((name) => which[name]).join(" and ")}; ${CHOICES.map((name) => `${name}s: ${listed(found[name])}`).join("; ")}`,
  );
}

/** Milliseconds to the microsecond, without what fractions of seconds add. */
const wholeUs = (ms: number): number => Math.round(ms * 1_000) / 1_000;

const nothingIn = (from: number, to: number | undefined, lastMs: number): string =>
  `it has no arrival from ${from / SECOND_MS} s${to === undefined ? "" : ` to ${to / SECOND_MS} s`}; its last one is ${lastMs / SECOND_MS} s after its first`;

const stated = (lengths: readonly number[]): readonly number[] => (lengths.some((length) => length > 0) ? lengths : []);

const SECOND_MS = 1_000;
