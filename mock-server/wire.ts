/**
 * Writes answers and plays scripts. It calls the methods of node's own response, since mockttp's replacements copy
 * every byte to a stream that nobody reads here.
 */

import { ServerResponse } from "node:http";
import { type Answer, bytesOf, type Ending, type Frame, type Script } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import type { Scheduler } from "./scheduler.ts";

const own = ServerResponse.prototype;
const ENDLESS_GAP_MS = 5;
const ENDLESS_BYTES = `${" ".repeat(1023)}\n`;

/** Sends an answer when it is due. */
export function sendAnswer(res: ServerResponse, exchange: Exchange, given: Answer, scheduler: Scheduler): void {
  const send = () => {
    if (!exchange.over) write(res, exchange, given, scheduler);
    return undefined;
  };
  if (given.atMs <= 0) send();
  else onClose(res, scheduler.at(exchange.arrival.arrivedMs + given.atMs, send));
}

function write(res: ServerResponse, exchange: Exchange, given: Answer, scheduler: Scheduler): void {
  const { status, headers, body, ending = "end" } = given;
  if (ending === "hang") return;
  if (ending === "reset") {
    exchange.finish(false);
    res.socket?.resetAndDestroy();
    return;
  }
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const framing = ending === "endless" ? {} : { "content-length": String(bytes.length) };
  Reflect.apply(own.writeHead, res, [status, { ...headers, ...framing }]);
  exchange.wroteHeaders(status);
  if (ending === "endless") {
    writeWithoutEnd(res, exchange, scheduler);
    return;
  }
  if (ending === "cut") {
    Reflect.apply(own.write, res, [bytes.subarray(0, bytes.length >> 1)]);
    exchange.finish(false);
    res.socket?.destroySoon();
    return;
  }
  Reflect.apply(own.end, res, [bytes]);
  exchange.finish(false);
}

function writeWithoutEnd(res: ServerResponse, exchange: Exchange, scheduler: Scheduler): void {
  const more = (nowMs: number) => {
    if (exchange.over) return undefined;
    if (!res.writableNeedDrain) Reflect.apply(own.write, res, [ENDLESS_BYTES]);
    return nowMs + ENDLESS_GAP_MS;
  };
  onClose(res, scheduler.at(performance.now(), more));
}

/** Plays a script on its absolute times: a late frame moves no later one. */
export function playScript(res: ServerResponse, exchange: Exchange, script: Script, scheduler: Scheduler): void {
  const { frames, headersAtMs } = script;
  const { arrivedMs } = exchange.arrival;
  let next = 0;
  exchange.startStream(frames);
  exchange.tokens = script.tokens;
  const step = (): number | undefined => {
    if (exchange.over) return undefined;
    const elapsed = exchange.elapsed();
    if (elapsed < headersAtMs) return arrivedMs + headersAtMs;
    if (!res.headersSent) writeHeaders(res, exchange, script);
    for (let frame = frames[next]; frame !== undefined; frame = frames[next]) {
      if (frame.atMs > elapsed) return arrivedMs + frame.atMs;
      next += 1;
      writeFrame(res, exchange, frame);
    }
    endScript(res, exchange, script.ending, scheduler);
    return undefined;
  };
  const again = step();
  if (again !== undefined) onClose(res, scheduler.at(again, step));
}

function writeHeaders(res: ServerResponse, exchange: Exchange, { status, headers }: Script): void {
  Reflect.apply(own.writeHead, res, [status, { ...headers }]);
  res.flushHeaders();
  exchange.wroteHeaders(status);
}

function writeFrame(res: ServerResponse, exchange: Exchange, frame: Frame): void {
  const { atMs, kind, raw } = frame;
  const bytes = bytesOf(frame);
  if (raw === true) res.socket?.write(bytes);
  else Reflect.apply(own.write, res, [bytes]);
  if (kind === "content") exchange.wroteContent(atMs);
}

function endScript(res: ServerResponse, exchange: Exchange, ending: Ending, scheduler: Scheduler): void {
  if (ending === "hang") return;
  if (ending === "endless") {
    writeWithoutEnd(res, exchange, scheduler);
    return;
  }
  if (ending === "end") Reflect.apply(own.end, res, []);
  exchange.finish(false);
  if (ending === "cut") res.socket?.destroySoon();
  if (ending === "reset") res.socket?.resetAndDestroy();
}

function onClose(res: ServerResponse, cancel: () => void): void {
  res.once("close", cancel);
}
