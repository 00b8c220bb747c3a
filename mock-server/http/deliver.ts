/** Writes answers and plays scripts. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Answer, type Ending, type Frame, type Frames, framesFrom, type Script } from "../base/mock-response.ts";
import type { Pace } from "../timing/pace.ts";
import type { Scheduler } from "../timing/scheduler.ts";
import type { Line } from "./response-writer.ts";
import type { Exchange } from "./served-request.ts";

const ENDLESS_GAP_MS = 5;
const ENDLESS_BYTES = `${" ".repeat(1023)}\n`;
const zip = promisify(gzip);

/** What one answer is written with. */
export interface Writing {
  readonly line: Line;
  readonly exchange: Exchange;
  readonly scheduler: Scheduler;
  readonly pace: Pace;
  /** The client reads gzip. */
  readonly gzip: boolean;
}

/** Sends an answer when it is due. */
export function sendAnswer(writing: Writing, given: Answer): void {
  const { exchange, pace } = writing;
  play(writing, () => {
    if (exchange.over) return undefined;
    const dueMs = pace.dueMs(given.atMs);
    if (given.atMs > 0 && dueMs > performance.now()) return dueMs;
    write(writing, given);
    return undefined;
  });
}

/** Runs a step now, at each time that it gives, and whenever the pace changes. */
function play({ line, scheduler, pace }: Writing, step: () => number | undefined): void {
  let cancel = () => {};
  const run = () => {
    cancel();
    const again = step();
    // Until a slot is free there is no time at which to look again: the pace calls.
    if (again !== undefined && Number.isFinite(again)) cancel = scheduler.at(again, step);
  };
  pace.onMove(run);
  line.onClose(() => cancel());
  run();
}

function write(writing: Writing, given: Answer): void {
  const { line, exchange } = writing;
  const { status, headers, body, ending = "end" } = given;
  if (ending === "hang") return;
  if (ending === "reset") {
    exchange.finish(false);
    line.reset();
    return;
  }
  if (ending === "endless") {
    line.head(status, headers);
    exchange.wroteHeaders(status);
    writeWithoutEnd(writing);
    return;
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (!writing.gzip || text === "") {
    writeBytes(writing, given, headers, text);
    return;
  }
  zip(text).then(
    (zipped) => {
      const zippedHeaders = { ...headers, "content-encoding": "gzip", vary: "accept-encoding" };
      if (!exchange.over) writeBytes(writing, given, zippedHeaders, zipped);
    },
    () => line.reset(),
  );
}

function writeBytes(writing: Writing, given: Answer, headers: Answer["headers"], bytes: string | Buffer): void {
  const { line, exchange } = writing;
  const { status, ending } = given;
  line.head(status, { ...headers, "content-length": String(Buffer.byteLength(bytes)) });
  exchange.wroteHeaders(status);
  if (ending === "cut") line.write(Buffer.from(bytes).subarray(0, Buffer.byteLength(bytes) >> 1));
  // Node sends a text and its headers in one write, bytes in two.
  else line.end(bytes);
  exchange.finish(false);
  if (ending === "cut") line.cut();
}

function writeWithoutEnd({ line, exchange, scheduler }: Writing): void {
  const more = (nowMs: number) => {
    if (exchange.over) return undefined;
    if (!line.isFull) line.write(ENDLESS_BYTES);
    return nowMs + ENDLESS_GAP_MS;
  };
  line.onClose(scheduler.at(performance.now(), more));
}

/** Plays a script on its absolute times: a late frame moves no later one. */
export function playScript(writing: Writing, script: Script): void {
  const { line, exchange, pace } = writing;
  const { frames, headersAtMs, ending } = script;
  let [next, upcoming] = [0, frames.at(0)];
  exchange.tokens = script.tokens;
  exchange.startStream(() => (pace.isFixed ? contentTimes(frames, next) : []));
  play(writing, () => {
    if (exchange.over) return undefined;
    const nowMs = performance.now();
    const headersDueMs = line.headersSent ? nowMs : pace.dueMs(headersAtMs);
    if (headersDueMs > nowMs) return headersDueMs;
    const due: Frame[] = [];
    while (upcoming !== undefined && pace.dueMs(upcoming.atMs) <= nowMs) {
      due.push(upcoming);
      next += 1;
      upcoming = frames.at(next);
    }
    writeDue(writing, script, due, upcoming === undefined);
    if (upcoming !== undefined) return pace.dueMs(upcoming.atMs);
    endScript(writing, ending);
    return undefined;
  });
}

/** Writes what is due at once as one. The ledger's time is read right before: no client sees a chunk earlier. */
function writeDue({ line, exchange, pace }: Writing, script: Script, due: readonly Frame[], isLast: boolean): void {
  const opens = !line.headersSent;
  const gathers = opens || isLast || due.length > 1;
  if (gathers) line.cork();
  if (opens) line.head(script.status, script.headers);
  let nowMs = performance.now();
  for (const { bytes, raw } of due) {
    if (raw === true) line.raw(bytes);
    else line.write(bytes);
  }
  if (gathers) nowMs = performance.now();
  if (opens) exchange.wroteHeaders(script.status);
  if (isLast && script.ending === "end") line.end();
  if (gathers) line.uncork();
  for (const { kind, atMs } of due) {
    if (kind === "content") exchange.wroteContent(pace.dueMs(atMs), nowMs);
  }
}

/** When the contents from an index on are due. */
const contentTimes = (frames: Frames, start: number): number[] =>
  Array.from(framesFrom(frames, start))
    .filter(({ kind }) => kind === "content")
    .map(({ atMs }) => atMs);

function endScript(writing: Writing, ending: Ending): void {
  const { line, exchange } = writing;
  if (ending === "hang") return;
  if (ending === "endless") {
    writeWithoutEnd(writing);
    return;
  }
  exchange.finish(false);
  if (ending === "cut") line.cut();
  if (ending === "reset") line.reset();
}
