/**
 * Listens for HTTP/1.1 and passes every request on to the target, and its response back. Whatever a client or the target does, it
 * ends no more than its own exchange.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { SIZE_LIMITS } from "../formats/outcomes.ts";
import { contain } from "./containment.ts";
import type { Target, TargetConnection } from "./forwarding.ts";
import { Passage, refuseTunnel } from "./passage.ts";
import type { OpenTap } from "./tap.ts";

/** Milliseconds that requests have to end once the proxy is to stop. */
export const STOP_MS = 5_000;

export interface ProxyOptions {
  /** Also a name that clients may call the proxy by. */
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
  /**
   * Stops listening, and ends every connection once it has no request on its way. Resolves when there is none, at the latest
   * after `mostMs`, when all are ended.
   */
  stop(mostMs?: number): Promise<void>;
  /** Ends all connections. */
  kill(): void;
}

/**
 * Requests of one connection that may be on their way at once; more come only from a client that waits for no response. They are
 * refused, and with as many again the connection is ended: Node reads requests without limit.
 */
const MOST_AT_ONCE = 64;
const TOO_MANY = `more than ${MOST_AT_ONCE} requests were sent on one connection before a response`;

/** What is known of one connection of a client. */
interface ClientConnection {
  readonly target: TargetConnection;
  readonly passages: Set<Passage>;
}

/** Starts the proxy. @throws the error of the system when the port cannot be bound */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const server = createServer({
    keepAliveTimeout: 0,
    requestTimeout: 0,
    headersTimeout: 0,
    maxHeaderSize: SIZE_LIMITS.headers,
  });
  await listen(server, options);
  return new Listener(server, options);
}

class Listener implements RunningProxy {
  readonly #server: Server;
  readonly #options: ProxyOptions;
  readonly #base: URL;
  /** What clients may call the proxy. */
  readonly #names: readonly string[];
  readonly #connections = new Map<Socket, ClientConnection>();
  #tap: OpenTap | undefined;
  #isStopping = false;

  constructor(server: Server, options: ProxyOptions) {
    this.#server = server;
    this.#options = options;
    this.#base = new URL(options.address);
    this.#names = [options.host, addressOf(server)?.address ?? options.host, this.#base.hostname];
    server.on("connection", (socket) => this.#connected(socket));
    const take = (req: IncomingMessage, res: ServerResponse): void => this.#take(req, res);
    for (const event of ["request", "checkExpectation", "checkContinue"]) server.on(event, take);
    server.on("connect", (req: IncomingMessage, socket: Socket) =>
      this.#tapped(
        () => socket.destroy(),
        (tap) => refuseTunnel(req, socket, tap),
      ),
    );
    contain(server, () => undefined);
  }

  get port(): number {
    return addressOf(this.#server)?.port ?? 0;
  }

  open(): number {
    let open = 0;
    for (const { passages } of this.#connections.values()) open += passages.size;
    return open;
  }

  stop(mostMs = STOP_MS): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.kill(), mostMs);
    for (const [socket, { passages }] of this.#connections) if (passages.size === 0) socket.destroy();
    return new Promise((resolve) => {
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  kill(): void {
    for (const [socket, { passages }] of this.#connections) {
      for (const passage of passages) passage.end("proxy", "the proxy was stopped before the response had ended");
      passages.clear();
      socket.destroy();
    }
    this.#options.target.close();
  }

  #connected(socket: Socket): void {
    contain(socket, () => socket.destroy());
    const passages = new Set<Passage>();
    // An idle connection ends with the one of the target; a client on its way finds out by its own response.
    const target = this.#options.target.connect(() => {
      if (passages.size === 0) socket.end();
    });
    this.#connections.set(socket, { target, passages });
    socket.once("close", () => {
      this.#connections.delete(socket);
      // Also those of which no byte was sent, since others came before them.
      for (const passage of passages) passage.end("client", "the client left before the response had ended");
      target.close();
    });
  }

  #take(req: IncomingMessage, res: ServerResponse): void {
    this.#tapped(
      () => res.destroy(),
      (tap) => {
        const connection = this.#connections.get(req.socket);
        // A client may leave while its request waits.
        if (res.destroyed || req.socket.destroyed || connection === undefined) return;
        const { passages } = connection;
        if (passages.size >= 2 * MOST_AT_ONCE) {
          req.socket.destroy();
          return;
        }
        const passage = new Passage(req, res, {
          connection: connection.target,
          host: this.#options.target.host,
          base: this.#base,
          names: this.#names,
          tap,
          refusal: passages.size < MOST_AT_ONCE ? undefined : TOO_MANY,
        });
        passages.add(passage);
        if (this.#isStopping) res.shouldKeepAlive = false;
        res.once("close", () => {
          passages.delete(passage);
          if (this.#isStopping && passages.size === 0) req.socket.destroySoon();
        });
        passage.start();
      },
    );
  }

  /** Calls `then` with what records, now or as soon as it is known. */
  #tapped(failed: () => void, then: (tap: OpenTap) => void): void {
    if (this.#tap !== undefined) {
      then(this.#tap);
      return;
    }
    Promise.resolve(this.#options.tap)
      .then((tap) => {
        this.#tap = tap;
        then(tap);
      })
      .catch(failed);
  }
}

function addressOf(server: Server): AddressInfo | undefined {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address : undefined;
}

const listen = (server: Server, { host, port }: ProxyOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
