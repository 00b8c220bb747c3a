/** Writes responses and streams to clients, each part when it is due. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  type Ending,
  type Frame,
  type Frames,
  framesFrom,
  type PlainResponse,
  type StreamedResponse,
} from "../base/mock-response.ts";
import type { Pace } from "../timing/pace.ts";
import type { Scheduler } from "../timing/scheduler.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { ServedRequest } from "./served-request.ts";

const ENDLESS_GAP_MS = 5;
const ENDLESS_BYTES = `${" ".repeat(1023)}\n`;
const zip = promisify(gzip);

/** What the delivery of one response needs. */
export interface Delivery {
  readonly writer: ResponseWriter;
  readonly served: ServedRequest;
  readonly scheduler: Scheduler;
  readonly pace: Pace;
  /** The client accepts gzip. */
  readonly gzip: boolean;
}

/** Sends a response when it is due. */
export function sendPlain(delivery: Delivery, response: PlainResponse): void {
  const { served, pace } = delivery;
  play(delivery, () => {
    if (served.over) return undefined;
    const dueMs = pace.dueMs(response.atMs);
    if (response.atMs > 0 && dueMs > performance.now()) return dueMs;
    write(delivery, response);
    return undefined;
  });
}

/** Runs a step now, at each time that it returns, and whenever the pace changes. */
function play({ writer, scheduler, pace }: Delivery, step: () => number | undefined): void {
  let cancel = () => {};
  const run = () => {
    cancel();
    const again = step();
    // Until a slot is free the due time is unknown: the pace calls then.
    if (again !== undefined && Number.isFinite(again)) cancel = scheduler.at(again, step);
  };
  pace.onMove(run);
  writer.onClose(() => cancel());
  run();
}

function write(delivery: Delivery, response: PlainResponse): void {
  const { writer, served } = delivery;
  const { status, headers, body, ending = "end" } = response;
  if (ending === "hang") return;
  if (ending === "reset") {
    served.finish(false);
    writer.reset();
    return;
  }
  if (ending === "endless") {
    writer.head(status, headers);
    served.wroteHeaders(status);
    writeWithoutEnd(delivery);
    return;
  }
  if (response.bytes !== undefined) {
    writeBytes(delivery, response, headers, response.bytes);
    return;
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (!delivery.gzip || text === "") {
    writeBytes(delivery, response, headers, text);
    return;
  }
  zip(text).then(
    (zipped) => {
      const zippedHeaders = { ...headers, "content-encoding": "gzip", vary: "accept-encoding" };
      if (!served.over) writeBytes(delivery, response, zippedHeaders, zipped);
    },
    () => writer.reset(),
  );
}

function writeBytes(
  delivery: Delivery,
  response: PlainResponse,
  headers: PlainResponse["headers"],
  bytes: string | Buffer,
): void {
  const { writer, served } = delivery;
  const { status, ending } = response;
  writer.head(status, { ...headers, "content-length": String(Buffer.byteLength(bytes)) });
  served.wroteHeaders(status);
  if (ending === "cut") writer.write(Buffer.from(bytes).subarray(0, Buffer.byteLength(bytes) >> 1));
  // Node sends a string and its headers in one write, bytes in two.
  else writer.end(bytes);
  served.finish(false);
  if (ending === "cut") writer.cut();
}

function writeWithoutEnd({ writer, served, scheduler }: Delivery): void {
  const more = (nowMs: number) => {
    if (served.over) return undefined;
    if (!writer.isFull) writer.write(ENDLESS_BYTES);
    return nowMs + ENDLESS_GAP_MS;
  };
  writer.onClose(scheduler.at(performance.now(), more));
}

/** Plays a stream at absolute times: a late frame does not delay the following ones. */
export function playStream(delivery: Delivery, stream: StreamedResponse): void {
  const { writer, served, pace } = delivery;
  const { frames, headersAtMs, ending } = stream;
  let [next, upcoming] = [0, frames.at(0)];
  served.tokens = stream.tokens;
  served.startStream(() => (pace.isFixed ? contentTimes(frames, next) : []));
  play(delivery, () => {
    if (served.over) return undefined;
    const nowMs = performance.now();
    const headersDueMs = writer.headersSent ? nowMs : pace.dueMs(headersAtMs);
    if (headersDueMs > nowMs) return headersDueMs;
    const due: Frame[] = [];
    while (upcoming !== undefined && pace.dueMs(upcoming.atMs) <= nowMs) {
      due.push(upcoming);
      next += 1;
      upcoming = frames.at(next);
    }
    writeDue(delivery, stream, due, upcoming === undefined);
    if (upcoming !== undefined) return pace.dueMs(upcoming.atMs);
    endStream(delivery, ending);
    return undefined;
  });
}

/** Writes all frames that are due in one write. Their time is read before it, so no client receives a chunk earlier. */
function writeDue(
  { writer, served, pace }: Delivery,
  stream: StreamedResponse,
  due: readonly Frame[],
  isLast: boolean,
): void {
  const opens = !writer.headersSent;
  const gathers = opens || isLast || due.length > 1;
  if (gathers) writer.cork();
  if (opens) writer.head(stream.status, stream.headers);
  let nowMs = performance.now();
  for (const { bytes, raw } of due) {
    if (raw === true) writer.raw(bytes);
    else writer.write(bytes);
  }
  if (gathers) nowMs = performance.now();
  if (opens) served.wroteHeaders(stream.status);
  if (isLast && stream.ending === "end") writer.end();
  if (gathers) writer.uncork();
  for (const { kind, atMs } of due) {
    if (kind === "content") served.wroteContent(pace.dueMs(atMs), nowMs);
  }
}

/** When the content frames from an index on are due. */
const contentTimes = (frames: Frames, start: number): number[] =>
  Array.from(framesFrom(frames, start))
    .filter(({ kind }) => kind === "content")
    .map(({ atMs }) => atMs);

function endStream(delivery: Delivery, ending: Ending): void {
  const { writer, served } = delivery;
  if (ending === "hang") return;
  if (ending === "endless") {
    writeWithoutEnd(delivery);
    return;
  }
  served.finish(false);
  if (ending === "cut") writer.cut();
  if (ending === "reset") writer.reset();
}
