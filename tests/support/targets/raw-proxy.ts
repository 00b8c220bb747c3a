/** A proxy between raw sockets: what a test sends is what arrives, however wrong it is. All of it ends with the test. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, createServer as createSocketServer, type Server as NetServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { RawHeaders } from "../../../proxy/forwarded-headers.ts";
import { HeldBytes, UnreadBytes } from "../../../proxy/held-bytes.ts";
import { targetFor } from "../../../proxy/negotiate.ts";
import { type RunningProxy, startProxy } from "../../../proxy/proxy-server.ts";
import type { OpenTap, SeenFailure, SeenRequest } from "../../../proxy/tap.ts";
import { listenOnLoopback } from "./loopback-server.ts";
import { serveInTest } from "./serve-in-test.ts";

/** What the proxy told of an exchange. */
export interface Seen extends SeenRequest {
  status?: number;
  responseHeaders?: RawHeaders;
  requestBytes: number;
  chunks: number[];
  failure?: SeenFailure | undefined;
  readonly ended: Promise<void>;
}

const tapInto =
  (seen: Seen[]): OpenTap =>
  (begun) => {
    let ended = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const one: Seen = { ...begun, requestBytes: 0, chunks: [], ended: done };
    seen.push(one);
    return {
      requestData: (chunk) => {
        one.requestBytes += chunk.length;
      },
      head: (status, headers) => Object.assign(one, { status, responseHeaders: headers }),
      responseData: (chunk) => one.chunks.push(chunk.length),
      end: (_, failure) => {
        one.failure = failure;
        ended();
      },
    };
  };

/** Starts a proxy before a target. @param begun until when requests wait. @param unread by all its clients */
export async function proxyTo(
  address: string,
  tls = {},
  begun?: Promise<void>,
  unread = new UnreadBytes(),
): Promise<{ proxy: RunningProxy; seen: Seen[] }> {
  const seen: Seen[] = [];
  const tap = tapInto(seen);
  const proxy = await startProxy({
    host: "127.0.0.1",
    port: 0,
    address,
    target: await targetFor(address, tls, new HeldBytes(), unread),
    tap: begun === undefined ? tap : begun.then(() => tap),
  });
  onTestFinished(() => proxy.kill());
  return { proxy, seen };
}

/** Starts a proxy before a target of TLS, whose certificate it does not check. */
export async function proxyToTls(server: NetServer, unread?: UnreadBytes): ReturnType<typeof proxyTo> {
  return proxyTo(await listening(server, "https"), { rejectUnauthorized: false }, undefined, unread);
}

/** Its address; it ends with the test. */
export async function listening(server: NetServer, scheme: "http" | "https" = "http"): Promise<string> {
  onTestFinished(() => void server.close());
  return (await listenOnLoopback(server)).replace("http", scheme);
}

/** A target that answers with node:http. */
export async function target(
  serve: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer(serve);
  return { url: await serveInTest(server), server };
}

/** A target that writes raw bytes once a request has come. */
export async function rawTarget(serve: (socket: Socket, received: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    let received = "";
    sockets.add(socket);
    socket
      .on("error", () => undefined)
      .on("data", (data) => {
        received += data.toString("latin1");
        serve(socket, received);
      });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listening(server);
}

/** How a connection ended for a client, and what came before. */
interface RawResponse {
  readonly received: string;
  /** `open`: it matched, and the test goes on with it. */
  readonly end: "open" | "FIN" | "reset";
}

/** Sends raw bytes; resolves when the connection has ended, or what came matches. */
export function sendRaw(port: number, bytes: string, until: RegExp = /$^/): Promise<RawResponse & { socket: Socket }> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(bytes, "latin1");
  let received = "";
  return new Promise((resolve) => {
    const ended = (end: RawResponse["end"]) => (): void => resolve({ received, end, socket });
    socket.on("error", ended("reset"));
    socket.on("end", ended("FIN"));
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (until.test(received)) ended("open")();
    });
  });
}

/** What came until the connection ended, or until it matched. */
export const exchangeRaw = async (port: number, bytes: string, until?: RegExp): Promise<string> =>
  (await sendRaw(port, bytes, until)).received;
