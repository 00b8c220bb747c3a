/**
 * HTTP/1.1 to the target. Each connection of a client has one of its own to the target and ends with it, so that keep-alive
 * and what follows from it are those of the target.
 */

import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import { SIZE_LIMITS } from "../formats/outcomes.ts";
import { contain } from "./containment.ts";
import { pairsOf, type RawHeaders } from "./forwarded-headers.ts";
import type { Exchanging, ForwardedRequest, ResponseEvents, Target, TargetConnection } from "./forwarding.ts";
import { writeChunk } from "./write-chunk.ts";

export interface TlsOptions extends SecureContextOptions {
  readonly rejectUnauthorized?: boolean;
  /** Absent: names are looked up as the machine does. */
  readonly lookup?: LookupFunction;
}

/** Written to send a head at once. `flushHeaders` would do so too, but it writes letters beyond ASCII in UTF-8. */
export const NOTHING = Buffer.alloc(0);

/** @param url address of the target; of its path only the host is used */
export function http1Target(url: URL, tls: TlsOptions): Target {
  const secure = url.protocol === "https:";
  const named = tls.lookup && { lookup: tls.lookup };
  return {
    host: url.host,
    connect: (closed) => {
      const options = { keepAlive: true, maxSockets: 1 };
      const agent = secure ? new https.Agent({ ...options, ...tls }) : new http.Agent({ ...options, ...named });
      return connectionOf(url, agent, secure, closed);
    },
    close: () => undefined,
  };
}

function connectionOf(url: URL, agent: http.Agent, secure: boolean, closed: () => void): TargetConnection {
  const watched = new WeakSet<object>();
  const send = secure ? https.request : http.request;
  return {
    send: (request, events) => {
      const message = send({
        agent,
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port || (secure ? 443 : 80),
        method: request.method,
        path: request.path,
        headers: framed(request),
        setHost: false,
        maxHeaderSize: SIZE_LIMITS.headers,
      });
      message.on("socket", (socket) => {
        if (watched.has(socket)) return;
        watched.add(socket);
        socket.once("close", closed);
      });
      return exchangeOf(message, events);
    },
    close: () => agent.destroy(),
  };
}

/** Node would announce a body in chunks where neither its length nor its chunks are: then it is empty. */
const framed = ({ headers, hasBody, method }: ForwardedRequest): string[] =>
  hasBody || /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method) || has(headers, "content-length")
    ? [...headers]
    : [...headers, "Content-Length", "0"];

const has = (headers: RawHeaders, name: string): boolean =>
  pairsOf(headers).some(([each]) => each.toLowerCase() === name);

function exchangeOf(message: http.ClientRequest, events: ResponseEvents): Exchanging {
  let response: http.IncomingMessage | undefined;
  let over = false;
  const failAtOnce = (error: Error): void => {
    if (over) return;
    over = true;
    events.error(error);
  };
  const fail = (error: Error): void => {
    if (response !== undefined && !over) passRest(response, events.data);
    if (response?.complete) end(response);
    else failAtOnce(error);
  };
  const end = ({ rawTrailers }: http.IncomingMessage): void => {
    if (over) return;
    over = true;
    events.end(rawTrailers);
  };
  contain(message, failAtOnce);
  message.on("continue", events.proceed);
  message.on("information", ({ statusCode, rawHeaders }) => {
    if (statusCode !== 100) events.interim(statusCode, rawHeaders);
  });
  message.on("upgrade", (_, socket) => {
    socket.destroy();
    fail(new Error("the target switched protocols (status 101), which it was not asked for"));
  });
  message.on("drain", events.drain);
  message.on("error", fail);
  message.on("close", () => {
    if (response === undefined) fail(new Error("the target closed the connection"));
  });
  message.on("response", (incoming) => {
    response = incoming;
    contain(incoming, failAtOnce);
    const isLast = !/keep-alive/i.test(incoming.headers.connection ?? "") && closes(incoming);
    events.head(incoming.statusCode ?? 0, incoming.statusMessage ?? "", incoming.rawHeaders, isLast);
    incoming.on("data", events.data);
    incoming.on("error", fail);
    incoming.on("end", () => end(incoming));
    incoming.on("close", () => fail(new Error("the target ended the connection within the response")));
  });
  // The head is sent before the body is there: whoever expects 100 Continue waits for it.
  writeChunk(message, NOTHING);
  return {
    write: (chunk) => writeChunk(message, chunk),
    end: (trailers) => {
      if (trailers.length > 0) message.addTrailers(pairsOf(trailers));
      message.end();
    },
    pause: () => void response?.pause(),
    resume: () => void response?.resume(),
    abort: () => {
      over = true;
      message.destroy();
    },
  };
}

/** What a stream holds that fails: it came before the fault. */
export function passRest(stream: Readable, data: (chunk: Buffer) => void): void {
  stream.removeAllListeners("data");
  for (let chunk: unknown = stream.read(); Buffer.isBuffer(chunk); chunk = stream.read()) data(chunk);
}

/** Whether the target closes the connection after this response. */
const closes = ({ headers, httpVersion }: http.IncomingMessage): boolean =>
  httpVersion === "1.0" || /close/i.test(headers.connection ?? "");
