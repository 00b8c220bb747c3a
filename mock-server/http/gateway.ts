/**
 * The only file that uses mockttp. Three of its internal details are needed, since its public steps cannot stream
 * slowly and it listens on every interface; `gateway.test.ts` fails when an upgrade changes one of them:
 * a step's own `handle` property replaces the built-in one, the server is kept in the member `server`, and that
 * server is a `net.Server` whose `listen` is given only a port.
 */

import type { IncomingMessage } from "node:http";
import { Server as HttpServer, type ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { isIP, Server as NetServer } from "node:net";
import { getLocal, matchers, requestSteps } from "mockttp";
import { UsageError } from "../../settings/usage-error.ts";
import { type ResponseWriter, writerFor } from "./response-writer.ts";
import type { Incoming } from "./serve.ts";

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

const UPGRADE = "The mock relies on internals of mockttp 4.6.5: pin that version, or adapt gateway.ts to the new one.";

/** What mockttp adds to node's request. */
interface MockttpRequest extends IncomingMessage {
  readonly path: string;
  readonly timingEvents: { readonly startTimestamp: number };
}

/** The step of the only rule: passes every request to `serve`. */
class HandOver extends requestSteps.FixedResponseStep {
  readonly handle: (req: MockttpRequest, res: ServerResponse | Http2ServerResponse) => Promise<void>;

  constructor(serve: Serve) {
    super(500, "the request was not passed to the mock");
    const numbers = new WeakMap<object, number>();
    let connections = 0;
    this.handle = (req, res) => {
      const { socket } = req;
      // On HTTP/2 each request has its own proxy of the socket; the session is shared.
      const session: unknown = Reflect.get(req, "stream");
      const shared = session instanceof Object ? sessionOf(session) : socket;
      const connection = numbers.get(shared) ?? ++connections;
      numbers.set(shared, connection);
      return serve(
        {
          message: req,
          method: req.method ?? "GET",
          target: req.path,
          arrivedMs: req.timingEvents.startTimestamp,
          connection,
          loopback: isLoopback(socket.remoteAddress ?? ""),
        },
        writerFor(res),
      );
    };
  }
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
    throw usageError(host, port, cause);
  }
  const address = bound?.address();
  if (typeof address !== "object" || address === null || (isIP(host) !== 0 && address.address !== host)) {
    await server.stop();
    throw new Error(`Cannot start the mock: it does not listen on ${host} only. ${UPGRADE}`);
  }
  await server.addRequestRules({ matchers: [new matchers.WildcardMatcher()], steps: [new HandOver(serve)] });
  return { port: address.port, stop: () => server.stop() };
}

/** Makes the server listen on one host, and sets how long idle connections stay open. */
function listenOn(made: unknown, host: string): NetServer {
  const inner: unknown = made instanceof NetServer ? Reflect.get(made, "_httpServer") : undefined;
  if (!(made instanceof NetServer) || !(inner instanceof HttpServer)) {
    throw new Error(`Cannot start the mock: mockttp did not create the expected kind of server. ${UPGRADE}`);
  }
  inner.keepAliveTimeout = KEEP_ALIVE_MS;
  inner.requestTimeout = 0;
  const listen = made.listen.bind(made);
  Object.defineProperty(made, "listen", { value: (port: unknown) => listen({ port: Number(port), host }) });
  return made;
}

function usageError(host: string, port: number, cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  const code = "code" in cause ? cause.code : undefined;
  if (code === "EADDRINUSE") {
    return new UsageError(
      `Cannot start the mock on ${host}:${port}: the port is in use. Choose another one, or 0 for a free one.`,
    );
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "ERR_SOCKET_BAD_PORT") {
    return new UsageError(
      `Cannot start the mock on ${host}:${port}: ${cause.message}. Choose an address of this machine and a free port.`,
    );
  }
  return cause;
}

/** The session of an HTTP/2 stream. */
function sessionOf(stream: object): object {
  const session: unknown = Reflect.get(stream, "session");
  return session instanceof Object ? session : stream;
}

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\./.test(address) || address === "::1";
