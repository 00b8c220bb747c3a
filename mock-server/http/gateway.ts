/**
 * Listens for HTTP/1.1, HTTP/2 and TLS on one port. mockttp supplies the servers, the detection of the protocol and the
 * certificates. Requests come from Node's servers within it, since mockttp's own handling ends the process on some
 * requests (an invalid URL, a reset while it answers an Upgrade or an Expect) and cannot stream slowly. This is the
 * only file that starts mockttp. `gateway.test.ts` fails when an upgrade changes one of the internals used here: the
 * server is kept in the member `server`, it is a `net.Server` whose `listen` is given only a port, and its members
 * `_httpServer` and `_http2Server` are Node's servers.
 */

import { EventEmitter } from "node:events";
import { Server as HttpServer, type ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { isIP, Server as NetServer } from "node:net";
import { getLocal } from "mockttp";
import { listenError } from "../../settings/listen-error.ts";
import { requestTarget } from "./request-target.ts";
import { type ResponseWriter, writerFor } from "./response-writer.ts";
import type { Incoming, RequestMessage } from "./serve.ts";

export type Serve = (incoming: Incoming, writer: ResponseWriter) => Promise<void>;

/** A CA that signs the gateway's certificates, in PEM. */
export interface Authority {
  readonly key: string;
  readonly cert: string;
}

export interface Gateway {
  readonly port: number;
  stop(): Promise<void>;
}

/** Long enough that a client that polls every ten seconds does not send on a connection that is being closed. */
const KEEP_ALIVE_MS = 120_000;

const UPGRADE = "The mock relies on internals of mockttp 4.4.2: pin that version, or adapt gateway.ts to the new one.";

/**
 * What mockttp listens to on Node's servers. With our listeners in their place Node serves an Upgrade as a plain request,
 * refuses CONNECT, and answers what is not HTTP itself: 400 or 431, and the end of the connection.
 */
const MOCKTTP_LISTENS = [
  "request",
  "checkContinue",
  "checkExpectation",
  "upgrade",
  "connect",
  "clientError",
  "session",
  "sessionError",
] as const;

type Handle = (req: RequestMessage, res: ServerResponse | Http2ServerResponse) => ResponseWriter;

/** What passes a request to `serve`, or answers 400 to an invalid one. */
function handOver(serve: Serve): Handle {
  const numbers = new WeakMap<object, number>();
  let connections = 0;
  return (req, res) => {
    const arrivedMs = performance.now();
    const { socket } = req;
    const writer = writerFor(res);
    // A client that leaves is seen when the response closes.
    for (const half of [req, res]) half.on("error", () => undefined);
    const target = requestTarget(req.url ?? "/", "authority" in req ? req.authority : req.headers.host);
    if (target === undefined) {
      writer.head(400, { connection: "close", "content-length": "0" });
      writer.end();
      return writer;
    }
    // On HTTP/2 each request has its own proxy of the socket; the session is shared.
    const shared = ("stream" in req ? req.stream.session : undefined) ?? socket;
    const connection = numbers.get(shared) ?? ++connections;
    numbers.set(shared, connection);
    const loopback = isLoopback(socket.remoteAddress ?? "");
    const incoming = { message: req, method: req.method ?? "GET", target, arrivedMs, connection, loopback };
    serve(incoming, writer).catch(() => writer.reset());
    return writer;
  };
}

/** Takes the requests of one of Node's servers from mockttp. */
function takeRequests(node: EventEmitter, handle: Handle): void {
  for (const event of MOCKTTP_LISTENS) node.removeAllListeners(event);
  node.on("request", handle).on("checkExpectation", handle);
  node.on("checkContinue", (...[req, res]: Parameters<Handle>) => handle(req, res).proceed());
}

/**
 * Listens and passes every request to `serve`. With an authority it also serves TLS, with a certificate for the name
 * that a client requests, or for `localhost`.
 * @throws UsageError when the host or the port cannot be bound.
 */
export async function openGateway(host: string, port: number, serve: Serve, authority?: Authority): Promise<Gateway> {
  const server = getLocal({
    recordTraffic: false,
    cors: false,
    suggestChanges: false,
    http2: true,
    ...(authority === undefined ? {} : { https: { key: authority.key, cert: authority.cert } }),
  });
  let bound: NetServer | undefined;
  Object.defineProperty(server, "server", {
    configurable: true,
    get: () => bound,
    set: (made: unknown) => {
      bound = listenOn(made, host);
    },
  });
  try {
    await server.start(port);
  } catch (cause) {
    await server.stop().catch(() => undefined);
    throw listenError("start the mock", { host, port }, cause);
  }
  const address = bound?.address();
  if (typeof address !== "object" || address === null || (isIP(host) !== 0 && address.address !== host)) {
    await server.stop();
    throw new Error(`Cannot start the mock: it does not listen on ${host} only. ${UPGRADE}`);
  }
  const handle = handOver(serve);
  for (const node of nodeServers(bound)) takeRequests(node, handle);
  return { port: address.port, stop: () => server.stop() };
}

/** Node's servers for HTTP/1.1 and HTTP/2 within that of mockttp. */
function nodeServers(made: unknown): readonly [HttpServer, EventEmitter] {
  const [plain, multiplexed]: unknown[] =
    made instanceof NetServer ? [Reflect.get(made, "_httpServer"), Reflect.get(made, "_http2Server")] : [];
  if (plain instanceof HttpServer && multiplexed instanceof EventEmitter) return [plain, multiplexed];
  throw new Error(`Cannot start the mock: mockttp did not create the expected kind of server. ${UPGRADE}`);
}

/** Makes the server listen on one host, and sets how long idle connections stay open. */
function listenOn(made: unknown, host: string): NetServer {
  const [plain] = nodeServers(made);
  if (!(made instanceof NetServer)) throw new Error(`Cannot start the mock: it has no server to listen. ${UPGRADE}`);
  plain.keepAliveTimeout = KEEP_ALIVE_MS;
  plain.requestTimeout = 0;
  const listen = made.listen.bind(made);
  Object.defineProperty(made, "listen", { value: (port: unknown) => listen({ port: Number(port), host }) });
  return made;
}

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\./.test(address) || address === "::1";
