/** A target that can be made faulty while a command runs: a proxy before the mock, which keeps the ground truth. */

import { readFileSync } from "node:fs";
import { createServer as createSecureServer } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { closed, listenOnLoopback } from "../support/targets/loopback-server.ts";

const testdata = new URL("./testdata/", import.meta.url);

/** What the target does with each connection. */
export type TargetMode = "serves" | "is gone" | "hangs" | "resets" | "floods" | "malformed";

export interface FaultyTarget {
  readonly url: string;
  /** Changes what it does, also with the connections that are open. */
  become(mode: TargetMode): Promise<void>;
  stop(): Promise<void>;
}

/**
 * What a flood sends at once and then goes on sending, on each connection: in seconds more than a check or the proxy reads of a
 * response, and within the time of a load far less than k6 does, on a machine of any speed. So the flood of a load is always
 * what it did not see the end of.
 */
const FLOOD = { chunk: Buffer.alloc(9 << 14, "x"), everyMs: 50 };

/** Starts a proxy before the target at `origin`. */
export async function faultyTarget(origin: string): Promise<FaultyTarget> {
  const sockets = new Set<Socket>();
  let mode: TargetMode = "serves";
  let listening = true;
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("close", () => sockets.delete(socket));
    ACTIONS[mode](socket, origin);
  });
  const url = await listenOnLoopback(server);
  const disconnect = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const stop = async (): Promise<void> => {
    const ended = listening ? closed(server) : undefined;
    listening = false;
    disconnect();
    await ended;
  };
  return {
    url,
    stop,
    become: async (next) => {
      mode = next;
      if (mode === "is gone") return stop();
      disconnect();
      if (listening) return;
      listening = true;
      await new Promise<void>((resolve) => void server.listen(Number(new URL(url).port), "127.0.0.1", resolve));
    },
  };
}

const ACTIONS: Readonly<Record<TargetMode, (socket: Socket, origin: string) => void>> = {
  serves: (socket, origin) => {
    const { hostname, port } = new URL(origin);
    const upstream = connect({ host: hostname, port: Number(port) }).on("error", () => socket.destroy());
    socket.once("close", () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
  },
  "is gone": (socket) => socket.destroy(),
  hangs: (socket) => void socket.resume(),
  resets: (socket) => void socket.once("data", () => socket.resetAndDestroy()),
  floods: (socket) =>
    void socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
      const timer = setInterval(() => socket.writableNeedDrain || socket.write(FLOOD.chunk), FLOOD.everyMs);
      socket.once("close", () => clearInterval(timer)).resume();
    }),
  malformed: (socket) => void socket.once("data", () => socket.end("\u0000\u0001 no HTTP at all\r\n\r\n")),
};

/** What a server on localhost sends to a TLS greeting. */
const TO_GREETINGS = {
  nothing: (socket: Socket) => void socket.resume(),
  "another version": (socket: Socket) => void socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
  "half a record": (socket: Socket) => void socket.end(Buffer.from([0x16, 3, 3, 0x10, 0, 2, 0])),
} as const;

/** A server on localhost that never completes a TLS handshake. */
export async function withoutHandshake(sends: keyof typeof TO_GREETINGS) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", () => TO_GREETINGS[sends](socket));
  });
  const { port } = new URL(await listenOnLoopback(server));
  const stop = (): Promise<void> => {
    const ended = closed(server);
    for (const socket of sockets) socket.destroy();
    return ended;
  };
  return { url: `https://localhost:${port}`, stop };
}

/** A server on localhost whose certificate has expired, or is that of another host. */
export async function secureTarget(certificate: "expired" | "other-name") {
  const [key, cert] = ["key", "cert"].map((part) => readFileSync(new URL(`${certificate}-${part}.pem`, testdata)));
  const server = createSecureServer({ key, cert }, (_, response) => void response.end("{}"));
  const { port } = new URL(await listenOnLoopback(server));
  return {
    url: `https://localhost:${port}`,
    caFile: fileURLToPath(new URL(`${certificate}-cert.pem`, testdata)),
    stop: () => closed(server),
  };
}
