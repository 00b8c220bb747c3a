/**
 * One exchange on its way through: byte for byte and chunk for chunk. Each side is read as fast as the other one takes it, and no
 * more than the chunk at hand is held. A client that leaves ends its request to the target; a target that leaves ends the
 * connection of the client where it was, or gets it a 502 when no response had begun. It is a failure domain of its own: all that
 * its code throws, at once or as a listener, comes to `#fail`.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { codeOf, errorOf, messageOf } from "../lib/thrown.ts";
import { contain } from "./containment.ts";
import {
  headerOf,
  multiplexedHeaders,
  pairsOf,
  type RawHeaders,
  requestHeaders,
  responseHeaders,
} from "./forwarded-headers.ts";
import type { Exchanging, ResponseEvents, TargetConnection } from "./forwarding.ts";
import { NOTHING } from "./http1-target.ts";
import { requestedPath } from "./requested-path.ts";
import type { ExchangeTap, OpenTap, SeenFailure } from "./tap.ts";
import { writeChunk } from "./write-chunk.ts";

/** Milliseconds that a client has to close a connection that was ended within its request. */
const LINGER_MS = 5_000;

/** Why a response is ended whose client does not read it. */
const UNREAD = "the client did not read its response, and what the proxy held for such clients became too much";

/** What a request is passed on with. */
interface PassageOptions {
  readonly connection: TargetConnection;
  /** Value of the Host header for the target. */
  readonly host: string;
  /** Address of the target. */
  readonly base: URL;
  /** Host names and addresses of the proxy and its target. */
  readonly names: readonly string[];
  readonly tap: OpenTap;
  /** Why the request is refused, whatever it asks for. */
  readonly refusal: string | undefined;
}

export class Passage {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #options: PassageOptions;
  readonly #began = performance.now();
  #upstream: Exchanging | undefined;
  #tap: ExchangeTap | undefined;
  #over = false;
  /** Bytes of the response body that are still to come; undefined while their number is not known. */
  #bytesLeft: number | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, options: PassageOptions) {
    this.#req = req;
    this.#res = res;
    this.#options = options;
    for (const side of [req, res]) contain(side, (error) => this.#fail("proxy", error));
    // A request that is cut closes its response too.
    for (const side of [req, res]) side.on("error", () => undefined);
  }

  start(): void {
    try {
      this.#start();
    } catch (thrown) {
      this.#fail("proxy", errorOf(thrown));
    }
  }

  /** Ends it before its end, for a reason that is not the target's; the connection of the client is closed already. */
  end(by: "client" | "proxy", message: string): void {
    if (this.#over) return;
    this.#upstream?.abort();
    // The mark of the end may come after the last byte, and the client need not wait for it.
    const isWhole = by === "client" && this.#bytesLeft === 0;
    this.#finish(isWhole ? undefined : { by, message, code: "" });
  }

  #start(): void {
    const { base, host, names, refusal, tap: openTap } = this.#options;
    const [req, res] = [this.#req, this.#res];
    const { method = "GET", url = "/", httpVersion: version, rawHeaders } = req;
    const target = requestedPath({ method, target: url, version, headers: rawHeaders }, names);
    const path = "path" in target ? base.pathname.replace(/\/$/, "") + target.path : url;
    this.#tap = openTap({
      method,
      url: "path" in target ? base.origin + path : url,
      headers: rawHeaders,
      startedMs: performance.timeOrigin + this.#began,
    });
    const refused = "refusal" in target ? target.refusal : refusal;
    if (refused !== undefined) {
      this.#fail("client", new Error(refused));
      return;
    }
    const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
    const upstream = this.#sent({ method, path, headers: requestHeaders(rawHeaders, host), hasBody });
    if (upstream === undefined) return;
    this.#upstream = upstream;
    res.on("drain", () => upstream.resume());
    req.on("data", (chunk: Buffer) => {
      if (!upstream.write(chunk)) req.pause();
      this.#tap?.requestData(chunk);
    });
    req.on("end", () => upstream.end(req.rawTrailers));
    res.once("close", () => this.end("client", "the client left before the response had ended"));
  }

  /** The request on its way; undefined when it cannot be sent as it is. */
  #sent(request: Parameters<TargetConnection["send"]>[0]): Exchanging | undefined {
    try {
      return this.#options.connection.send(request, this.#events(request.method));
    } catch (thrown) {
      const error = errorOf(thrown);
      // A session that ends takes no request; all else that Node refuses is what the client sent.
      this.#fail(/SESSION|STREAM/.test(codeOf(error)) ? "target" : "client", error);
      return undefined;
    }
  }

  #events(method: string): ResponseEvents {
    const [req, res] = [this.#req, this.#res];
    const isHttp11 = req.httpVersion !== "1.0";
    return {
      proceed: () => {
        if (isHttp11) res.writeContinue();
      },
      interim: (status, raw) => {
        if (isHttp11) writeInterim(res, status, raw);
      },
      head: (status, message, raw, isLast) => {
        this.#tap?.head(status, raw, this.#now());
        this.#bytesLeft = bodyLength(method, status, raw);
        res.sendDate = false;
        if (isLast) res.shouldKeepAlive = false;
        const flat = responseHeaders(raw, isHttp11);
        if (message === "") res.writeHead(status, flat);
        else res.writeHead(status, message, flat);
        writeChunk(res, NOTHING);
      },
      data: (chunk) => {
        if (!writeChunk(res, chunk)) this.#upstream?.pause();
        this.#tap?.responseData(chunk, this.#now());
        if (this.#bytesLeft !== undefined) this.#bytesLeft -= chunk.length;
      },
      end: (trailers) => {
        if (trailers.length > 0 && res.chunkedEncoding) res.addTrailers(pairsOf(trailers));
        res.end();
        this.#finish();
      },
      error: (error) => this.#fail("target", error),
      unread: () => this.#fail("client", new Error(UNREAD)),
      drain: () => req.resume(),
    };
  }

  /** Ends this exchange, and no other, for whatever reason. */
  #fail(by: SeenFailure["by"], error: Error): void {
    if (this.#over) return;
    const code = codeOf(error);
    const message = messageOf(error);
    const res = this.#res;
    this.#over = true;
    try {
      this.#upstream?.abort();
      if (!res.headersSent) sendError(res, by, message);
      // To a client that does not read, no end can be sent.
      else if (by === "client" || isReset(error)) res.socket?.resetAndDestroy();
      else cut(res);
      this.#tap?.end(this.#now(), { by, message, code });
    } catch {
      res.destroy();
    }
  }

  #finish(failure?: SeenFailure): void {
    if (this.#over) return;
    this.#over = true;
    this.#tap?.end(this.#now(), failure);
  }

  #now = (): number => Math.round((performance.now() - this.#began) * 1_000) / 1_000;
}

/** Whether the other side has reset its connection. A connection that ends too early has the same code, but no system call. */
const isReset = (error: Error): boolean => codeOf(error) === "ECONNRESET" && "syscall" in error;

/** Ends a response where it is: what was written is sent, then the end of the connection. */
function cut(res: ServerResponse): void {
  const { socket, req } = res;
  if (socket === null) res.destroy();
  else if (req.complete) socket.destroySoon();
  else {
    // A connection that is closed with unread bytes is reset, which may take away what was sent.
    socket.end();
    req.resume();
    socket.setTimeout(LINGER_MS, () => socket.destroy());
  }
}

/** Refuses CONNECT, for which Node gives the connection away. */
export function refuseTunnel(req: IncomingMessage, socket: Socket, openTap: OpenTap): void {
  socket.on("error", () => undefined);
  const { method = "CONNECT", url = "", httpVersion: version, rawHeaders: headers } = req;
  const target = requestedPath({ method, target: url, version, headers }, []);
  const message = "refusal" in target ? target.refusal : "";
  openTap({ method, url, headers, startedMs: performance.timeOrigin + performance.now() }).end(0, {
    by: "client",
    message,
    code: "",
  });
  const { status, text, body } = errorResponse("client", message);
  const head = { ...headersOf(body), connection: "close" };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${text}\r\n${lines.join("")}\r\n${body}`);
  socket.resume();
}

/** Bytes of the body that a response announces (RFC 9112, section 6.3); undefined when it does not say. */
function bodyLength(method: string, status: number, headers: RawHeaders): number | undefined {
  if (method === "HEAD" || status === 204 || status === 304) return 0;
  const length = headerOf(headers, "content-length");
  const isCounted =
    length !== undefined && /^\d+$/.test(length) && headerOf(headers, "transfer-encoding") === undefined;
  return isCounted ? Number(length) : undefined;
}

/** Passes on 102 and 103, which are all that Node can write; a client does without them. */
function writeInterim(res: ServerResponse, status: number, raw: RawHeaders): void {
  // They may come without end, and nothing says when a client that reads slowly has taken one.
  if (res.headersSent || res.destroyed || res.socket?.writableNeedDrain) return;
  if (status === 102) res.writeProcessing();
  if (status !== 103) return;
  const headers = multiplexedHeaders(responseHeaders(raw, true));
  const link = headers["link"]?.flatMap((value) => value.split(/,\s*(?=<)/)) ?? [];
  try {
    res.writeEarlyHints({ ...headers, link });
  } catch {
    // Node refuses links that it cannot read.
  }
}

/** What the client gets in place of a response of the target. */
function errorResponse(by: SeenFailure["by"], reason: string) {
  const [status, text, code, what] =
    by === "client"
      ? ([400, "Bad Request", "bad_request", "the request was not passed on"] as const)
      : ([502, "Bad Gateway", "bad_gateway", "no response from the target"] as const);
  const message = `assay proxy: ${what}: ${reason}`;
  const body = JSON.stringify({ error: { message, type: "assay_proxy_error", code, param: null } });
  return { status, text, body };
}

const headersOf = (body: string) => ({
  "content-type": "application/json",
  "content-length": Buffer.byteLength(body),
});

function sendError(res: ServerResponse, by: SeenFailure["by"], reason: string): void {
  const { status, text, body } = errorResponse(by, reason);
  // What is left of the request is not read.
  res.shouldKeepAlive = false;
  // A response that could not be written may have set it.
  res.chunkedEncoding = false;
  res.writeHead(status, text, headersOf(body));
  res.end(body);
}
