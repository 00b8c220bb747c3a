/** A target that does anything in place of a TLS handshake costs the exchange alone, and its reason is said. */

import { randomUUID } from "node:crypto";
import { createServer as createSecureServer, type Server } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { generateCACertificate } from "mockttp";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../tests/support/targets/loopback-server.ts";
import { httpClient } from "./http-client.ts";

let certificate: { readonly key: string; readonly cert: string };
beforeAll(async () => {
  certificate = await generateCACertificate();
});

async function listening(server: Server | ReturnType<typeof createServer>): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (await listenOnLoopback(server)).replace("http:", "https:");
}

const secure = (options: object = {}): Promise<string> =>
  listening(createSecureServer({ ...certificate, ...options }, (_, response) => void response.end("{}")));

/** Passes on so many bytes of what a TLS server sends, and then closes. */
function cutAfter(bytes: () => number, port: number): Promise<string> {
  return listening(
    createServer((socket) => {
      let left = bytes();
      if (left === 0) return void socket.once("data", () => socket.end());
      const upstream = connect(port, "127.0.0.1").on("error", () => socket.destroy());
      socket.pipe(upstream);
      upstream.on("data", (part) => {
        socket.write(part.subarray(0, left));
        left -= part.length;
        if (left <= 0) socket.end(() => upstream.destroy());
      });
      socket.once("close", () => upstream.destroy());
    }),
  );
}

const TIMEOUT_MS = 60_000;

/** Why a request had no response; undefined where it had one. */
async function failureAt(target: string): Promise<string | undefined> {
  const client = httpClient({ target, insecure: true, timeoutMs: TIMEOUT_MS });
  const { signal } = new AbortController();
  const sent = { probe: "p", method: "GET", path: "/", requestId: randomUUID(), signal } as const;
  const { answer, failure } = await client.send(sent);
  await client.close();
  expect(answer === undefined).toBe(failure !== undefined);
  return failure?.message;
}

test.each(["TLSv1.2", "TLSv1.3"])(
  "a handshake of %s that is cut off anywhere is a failure with a reason",
  async (version) => {
    const { port } = new URL(await secure({ minVersion: version, maxVersion: version }));
    let bytes = 0;
    const target = await cutAfter(() => bytes, Number(port));
    // The certificate alone is longer than 600 bytes, in both versions.
    for (bytes = 0; bytes < 600; bytes += bytes < 100 ? 3 : 37) {
      expect([bytes, await failureAt(target)]).toEqual([bytes, expect.stringMatching(/\w/)]);
    }
    bytes = Number.POSITIVE_INFINITY;
    expect(await failureAt(target)).toBeUndefined();
  },
);

const hello = (version: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x16, 3, version, body.length >> 8, body.length & 0xff]), body]);

test.each<[string, Buffer]>([
  ["HTTP without TLS", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["text", Buffer.from("SSH-2.0-x\r\n")],
  ["zeros", Buffer.alloc(5_000)],
  ["a record of the greatest length", Buffer.alloc(70_000, 0x16)],
  ["a ServerHello without content", hello(3, Buffer.from([2, 0, 0, 0]))],
  ["a ServerHello that names a length beyond its record", hello(3, Buffer.from([2, 0xff, 0xff, 0xff, 3, 3]))],
  ["a message that only clients send", hello(3, Buffer.from([1, 0, 0, 2, 3, 3]))],
  ["encrypted data before any key", Buffer.from([0x17, 3, 3, 0, 1, 0])],
  ["an alert of a kind that is none", Buffer.from([0x15, 3, 3, 0, 2, 2, 255])],
  ["warnings without end", Buffer.concat(Array.from({ length: 2_000 }, () => Buffer.from([0x15, 3, 3, 0, 2, 1, 90])))],
])("%s in place of a ServerHello is a failure with a reason", async (_, bytes) => {
  const target = await listening(createServer((socket) => void socket.once("data", () => socket.end(bytes))));
  expect(await failureAt(target)).toMatch(/\w/);
});

test("a version of TLS that is too old is named", async () => {
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
  expect(await failureAt(await secure(old))).toMatch(/protocol version|unsupported/i);
});

test("a target that asks for another handshake in the middle costs nothing", async () => {
  const server = createSecureServer({ ...certificate, maxVersion: "TLSv1.2" }, ({ socket }, response) => {
    response.write("{");
    (socket as TLSSocket).renegotiate({}, () => response.end("}"));
  });
  const target = await listening(server);
  for (let turn = 0; turn < 3; turn += 1) expect(await failureAt(target)).toBeUndefined();
});
