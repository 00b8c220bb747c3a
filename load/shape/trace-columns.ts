/** The rows of a trace as columns: its arrivals, and the later turns of those that begin a conversation. Pure. */

import { blockSizeOf, type TraceBlocks } from "./trace-blocks.ts";
import { BadTrace, type TraceRow } from "./trace-rows.ts";

/** The rows that are replayed of a file, one column per fact: it may have millions. */
export interface Columns {
  readonly times: number[];
  /** When the last request of each was sent. */
  readonly ends: number[];
  readonly inputTokens: number[];
  readonly outputTokens: number[];
  readonly ids: number[];
  readonly starts: number[];
  readonly sessions: number[];
  /** Later turns of arrivals that have some. */
  readonly turns: Map<number, Turn[]>;
  hasSessions: boolean;
  isInstant: boolean;
  hasTexts: boolean;
  operation?: string | undefined;
}

/** A turn of a conversation, after the first. */
interface Turn {
  /** Milliseconds from the end of the response before. */
  readonly thinkMs: number;
  /** Tokens of what the user says in it. */
  readonly said: number;
  readonly output: number;
}

/** The last request of a session so far. */
interface Open extends Turn {
  readonly arrival: number;
  readonly input: number;
  readonly endMs: number;
}

/** Rows that are made into columns, one after another. */
export interface ColumnsOfRows {
  /** @throws BadTrace where it does not follow the row before */
  add(row: TraceRow): void;
  /** @throws BadTrace where there is none */
  end(): Columns;
}

/** Columns without a row. */
export function newColumns(): ColumnsOfRows {
  const all: Columns = {
    ...{ times: [], ends: [], inputTokens: [], outputTokens: [], ids: [], starts: [0], sessions: [], turns: new Map() },
    ...{ hasSessions: false, isInstant: false, hasTexts: false },
  };
  const begun = new Map<string, number>();
  const open = new Map<string, Open>();
  let before: TraceRow | undefined;
  const add = (row: TraceRow): void => {
    if (before !== undefined) checkFollows(row, before);
    before = row;
    all.hasSessions ||= row.session !== undefined;
    const turn = turnOf(row, open) ?? { arrival: all.times.length, thinkMs: 0, said: 0, output: row.output ?? 0 };
    if (turn.arrival === all.times.length) addArrival(all, row, begun);
    else addTurn(all, row, turn);
    if (row.session === undefined) return;
    if (row.tookMs === undefined || row.input === undefined || row.output === undefined) open.delete(row.session);
    else open.set(row.session, { ...turn, input: row.input, endMs: row.at + row.tookMs });
  };
  const end = (): Columns => {
    if (before === undefined) throw new BadTrace("it contains no arrival");
    const { isInstant, hasText: hasTexts, operation } = before;
    return Object.assign(all, { isInstant, hasTexts, operation });
  };
  return { add, end };
}

/**
 * The turn that a row is of a conversation: it came after the response to the request before in its session, and sends more than that.
 * Undefined for a request of its own.
 */
function turnOf(row: TraceRow, open: ReadonlyMap<string, Open>): (Turn & { readonly arrival: number }) | undefined {
  const last = row.session === undefined || !row.isInstant ? undefined : open.get(row.session);
  if (last === undefined || row.input === undefined || row.at < last.endMs || row.input <= last.input) return undefined;
  const said = Math.max(1, row.input - last.input - last.output);
  return { arrival: last.arrival, thinkMs: row.at - last.endMs, said, output: row.output ?? 0 };
}

function addArrival(all: Columns, row: TraceRow, begun: Map<string, number>): void {
  all.sessions.push(sessionOf(row, all.times.length, begun));
  all.times.push(row.at);
  all.ends.push(row.at);
  all.inputTokens.push(row.input ?? 0);
  all.outputTokens.push(row.output ?? 0);
  for (const id of (row.input !== undefined && row.blocks) || []) all.ids.push(id);
  all.starts.push(all.ids.length);
}

function addTurn(
  { turns, ends }: Columns,
  { at }: TraceRow,
  { arrival, ...turn }: Turn & { readonly arrival: number },
): void {
  const own = turns.get(arrival);
  if (own === undefined) turns.set(arrival, [turn]);
  else own.push(turn);
  ends[arrival] = at;
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
export function blocksOf(
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

/** Turns of conversations, after their first: those of all arrivals, one after another. */
export interface TraceTurns {
  /** Where those of each arrival begin, and at last where they end. */
  readonly starts: readonly number[];
  /** Milliseconds from the end of the response before. */
  readonly thinkMs: readonly number[];
  /** Tokens of what the user says in each, and of the response; 0 where they are not stated. */
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
}

/** The later turns of a part of the arrivals; none where all are single requests. */
export function turnsOf({ turns }: Columns, begin: number, end: number): { readonly turns?: TraceTurns } {
  const starts = [0];
  const flat: Turn[] = [];
  for (let arrival = begin; arrival < end; arrival += 1) {
    flat.push(...(turns.get(arrival) ?? []));
    starts.push(flat.length);
  }
  if (flat.length === 0) return {};
  return {
    turns: {
      starts,
      thinkMs: flat.map(({ thinkMs }) => thinkMs),
      inputTokens: flat.map(({ said }) => said),
      outputTokens: flat.map(({ output }) => output),
    },
  };
}
