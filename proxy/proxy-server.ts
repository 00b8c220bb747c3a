/**
 * Listens for HTTP/1.1 and passes every request on to the target, and its response back: byte for byte and chunk for chunk.
 * Each side is read as fast as the other one takes it, and no more than the chunk at hand is held. A client that leaves ends
 * its request to the target; a target that leaves ends the connection of the client where it was, or gets it a 502 when no
 * response had begun.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { multiplexedHeaders, pairsOf, type RawHeaders, requestHeaders, responseHeaders } from "./forwarded-headers.ts";
import type { Exchanging, Target, TargetConnection } from "./forwarding.ts";
import { MAX_HEADERS, NOTHING } from "./http1-target.ts";
import type { ExchangeTap, OpenTap, SeenFailure } from "./tap.ts";

export interface ProxyOptions {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Address of the target; what is in its path comes before that of each request. */
  readonly address: string;
  readonly target: Target;
  /** While it is awaited, requests wait. */
  readonly tap: OpenTap | Promise<OpenTap>;
}

export interface RunningProxy {
  readonly port: number;
  /** Requests on their way. */
  open(): number;
  /** Stops listening; requests on their way go on until `kill`. Resolves when there are none. */
  stop(): Promise<void>;
  /** Ends all connections. */
  kill(): void;
}

/** What a request is passed on with; the address of the target is parsed. */
type PassageOptions = Pick<ProxyOptions, "target"> & { readonly base: URL; readonly tap: OpenTap };

/** What is known of one connection of a client. */
interface ClientConnection {
  readonly target: TargetConnection;
  open: number;
}

/** Starts the proxy. @throws the error of the system when the port cannot be bound */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const connections = new WeakMap<Socket, ClientConnection>();
  const base = new URL(options.address);
  let tap = typeof options.tap === "function" ? options.tap : undefined;
  let open = 0;
  const server = createServer({
    keepAliveTimeout: 0,
    requestTimeout: 0,
    headersTimeout: 0,
    maxHeaderSize: MAX_HEADERS,
  });
  const connectionOf = (socket: Socket): ClientConnection => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const made: ClientConnection = {
      open: 0,
      // An idle connection ends with the one of the target; a client on its way finds out by its own response.
      target: options.target.connect(() => {
        if (made.open === 0) socket.end();
      }),
    };
    connections.set(socket, made);
    socket.once("close", () => made.target.close());
    return made;
  };
  const pass = (req: IncomingMessage, res: ServerResponse, tap: OpenTap): void => {
    // A client may leave while its request waits.
    if (res.destroyed || req.socket.destroyed) return;
    const connection = connectionOf(req.socket);
    connection.open += 1;
    open += 1;
    res.once("close", () => {
      connection.open -= 1;
      open -= 1;
    });
    new Passage(req, res, connection.target, { base, target: options.target, tap }).start();
  };
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (tap === undefined) tap = await options.tap;
    pass(req, res, tap);
  };
  for (const event of ["request", "checkExpectation", "checkContinue"]) server.on(event, take);
  await listen(server, options);
  return {
    port: portOf(server),
    open: () => open,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    kill: () => {
      server.closeAllConnections();
      options.target.close();
    },
  };
}

const portOf = (server: Server): number => {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

const listen = (server: Server, { host, port }: ProxyOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });

/** One exchange on its way through. */
class Passage {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #connection: TargetConnection;
  readonly #options: PassageOptions;
  readonly #began = performance.now();
  #over = false;

  constructor(req: IncomingMessage, res: ServerResponse, connection: TargetConnection, options: PassageOptions) {
    this.#req = req;
    this.#res = res;
    this.#connection = connection;
    this.#options = options;
  }

  start(): void {
    const { base, target, tap: openTap } = this.#options;
    const [req, res] = [this.#req, this.#res];
    const path = base.pathname.replace(/\/$/, "") + originForm(req.url ?? "/");
    const method = req.method ?? "GET";
    const tap = openTap({
      method,
      url: base.origin + path,
      headers: req.rawHeaders,
      startedMs: performance.timeOrigin + this.#began,
    });
    const hasBody = req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
    const headers = requestHeaders(req.rawHeaders, target.host);
    const upstream = this.#connection.send(
      { method, path, headers, hasBody },
      {
        proceed: () => res.writeContinue(),
        interim: (status, raw) => {
          if (req.httpVersion !== "1.0") writeInterim(res, status, raw);
        },
        head: (status, message, raw, isLast) => {
          tap.head(status, raw, this.#now());
          res.sendDate = false;
          if (isLast) res.shouldKeepAlive = false;
          const flat = responseHeaders(raw, req.httpVersion !== "1.0");
          if (message === "") res.writeHead(status, flat);
          else res.writeHead(status, message, flat);
          res.write(NOTHING);
        },
        data: (chunk) => {
          if (!res.write(chunk)) upstream.pause();
          tap.responseData(chunk, this.#now());
        },
        end: (trailers) => {
          if (trailers.length > 0 && res.chunkedEncoding) res.addTrailers(pairsOf(trailers));
          res.end();
          this.#end(tap);
        },
        error: (error) => this.#targetFailed(tap, error),
        drain: () => req.resume(),
      },
    );
    res.on("drain", () => upstream.resume());
    this.#passRequest(upstream, tap);
    res.once("close", () => {
      if (this.#over) return;
      upstream.abort();
      this.#end(tap, { by: "client", message: "the client left before the response had ended", code: "" });
    });
  }

  #passRequest(upstream: Exchanging, tap: ExchangeTap): void {
    const req = this.#req;
    req.on("data", (chunk: Buffer) => {
      if (!upstream.write(chunk)) req.pause();
      tap.requestData(chunk);
    });
    req.on("end", () => upstream.end(req.rawTrailers));
    // A request that is cut closes its response too.
    req.on("error", () => undefined);
    this.#res.on("error", () => undefined);
  }

  #targetFailed(tap: ExchangeTap, error: Error): void {
    if (this.#over) return;
    const code = "code" in error && typeof error.code === "string" ? error.code : "";
    const message = error.message === "" ? code : error.message;
    this.#end(tap, { by: "target", message, code });
    const res = this.#res;
    if (!res.headersSent) badGateway(res, message);
    else if (code === "ECONNRESET") res.socket?.resetAndDestroy();
    else res.destroy();
  }

  #end(tap: ExchangeTap, failure?: SeenFailure): void {
    if (this.#over) return;
    this.#over = true;
    tap.end(this.#now(), failure);
  }

  #now = (): number => Math.round((performance.now() - this.#began) * 1_000) / 1_000;
}

/** The path of a request whose address is whole, as clients of a forward proxy send it. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/]*/i, "") || "/";

/** Passes on 102 and 103, which are all that Node can write; a client does without them. */
function writeInterim(res: ServerResponse, status: number, raw: RawHeaders): void {
  if (res.headersSent || res.destroyed) return;
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

/** Says in place of the target that it did not respond. */
function badGateway(res: ServerResponse, reason: string): void {
  const message = `assay proxy: no response from the target: ${reason}`;
  const body = JSON.stringify({ error: { message, type: "assay_proxy_error", code: "bad_gateway", param: null } });
  // What is left of the request is not read.
  res.shouldKeepAlive = false;
  res.writeHead(502, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  res.end(body);
}
