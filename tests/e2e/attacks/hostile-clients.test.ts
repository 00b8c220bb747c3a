/** What clients send to the mock never ends its process. Plain TCP, so that nothing is corrected on the way. */

import { existsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATHS } from "../../../contract/service.ts";
import { type Running, startAssay } from "../../support/commands/assay-process.ts";

const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
const EXPECT = "Expect: 100-continue\r\n";
const AT_ONCE = 350;

interface Target {
  readonly mock: Running;
  readonly port: number;
  readonly caFile: string;
}

/** Serves TLS and, on the same port, everything else. */
async function startTlsMock(): Promise<Target> {
  const mock = startAssay(["mock", "--tls", "--port", "0", "--timing", "instant", "--itl", "20ms"]);
  const caFile = await mock.until(/ca (\S+)/);
  return { mock, caFile, port: Number(await mock.until(/ready https:\/\/localhost:(\d+)/)) };
}

let target: Target;
beforeAll(async () => {
  target = await startTlsMock();
});
afterAll(async () => {
  target.mock.child.kill("SIGTERM");
  expect((await target.mock.ended).code).toBe(0);
  expect(existsSync(target.caFile)).toBe(false);
});

/** A connection whose errors are expected. */
function opened(secure: boolean): Socket {
  const { port } = target;
  const socket = secure
    ? connectTls({ port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false })
    : connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  return socket.on("error", () => undefined);
}

/** Sends bytes; resolves with what has come when the connection ends or `until` matches. */
function answer(bytes: string | Buffer, { until = /^$/, secure = false, half = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = opened(secure);
    let seen = "";
    const end = (): void => {
      socket.destroy();
      resolve(seen);
    };
    socket.on("data", (part) => {
      seen += part.toString("latin1");
      if (until.test(seen)) end();
    });
    socket.once("end", end).once("close", end);
    socket.write(bytes);
    if (half) socket.end();
  });
}

/** Many clients at once; each sends the bytes and resets its connection after another number of turns. */
async function resets(bytes: string | Buffer): Promise<void> {
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, turns) => {
      const socket = opened(false);
      const closed = new Promise((resolve) => socket.once("close", resolve));
      await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
      socket.write(bytes);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
      await closed;
    }),
  );
}

/** The mock still serves, and still is the same process. */
async function expectAlive(): Promise<void> {
  const seen = await answer(request("", "", "GET /_mock/state"), { until: /\}$/ });
  expect(seen).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(target.mock.child.exitCode).toBeNull();
}

const request = (headers: string, body = "", line = `POST ${PATHS.chat}`, host = "m"): string =>
  `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer k\r\n${headers}\r\n${body}`;

/** A frame of HTTP/2 (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer | string = ""): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}
const [DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, CONTINUATION] = [0, 1, 3, 4, 7, 9];
const [END_STREAM, END_HEADERS] = [1, 4];

/** Headers as literals without indexing (RFC 7541, section 6.2.2). */
const headers = (given: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(
    Object.entries(given).flatMap(([name, value]) => [
      Buffer.from([0]),
      ...[name, value].flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]),
    ]),
  );
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const http2 = (...frames: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0, 0), ...frames]);
const CHAT = {
  ":method": "POST",
  ":scheme": "http",
  ":path": PATHS.chat,
  ":authority": "m",
  authorization: "Bearer k",
};
const CANCEL = Buffer.from([0, 0, 0, 8]);
const rapid = (open: Buffer): Buffer[] =>
  Array.from({ length: 100 }, (_, i) => [
    frame(HEADERS, END_HEADERS, 2 * i + 1, open),
    frame(RST_STREAM, 0, 2 * i + 1, CANCEL),
  ]).flat();

describe.each([
  ["TCP", false],
  ["TLS", true],
])("over %s", (_, secure) => {
  it.each([
    ["an invalid URL", request("", "", "GET http://[x/v1")],
    ["an invalid port in the URL", request("", "", "GET http://x:abc/v1")],
    ["an invalid URL with a body", request(`Content-Length: ${BODY.length}\r\n`, BODY, "POST http://[x/v1")],
    ["an invalid URL with an Upgrade", request(UPGRADE, "", "GET http://[x/v1")],
    ["an invalid host", request("", "", "GET /v1", "[x")],
    ["an invalid host with an Upgrade", request(UPGRADE, "", "GET /v1", "x:abc")],
    ["an invalid host with an Expect", request(EXPECT, "", "GET /v1", "x:abc")],
    ["a chunk without a size", request("Transfer-Encoding: chunked\r\n", "zz\r\nabc\r\n")],
    ["a length beside chunks", request("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")],
    ["a negative length", request("Content-Length: -1\r\n")],
    ["a request target without a slash", request("", "", "GET no-slash")],
    ["a request target without a host", request("", "", "GET http://")],
    ["no HTTP", Buffer.alloc(5000)],
  ])("%s is 400 or closes the connection", async (_name, bytes) => {
    expect(await answer(bytes, { secure })).toMatch(/^(?:HTTP\/1\.1 400 Bad Request\r\n|$)/);
    await expectAlive();
  });

  it("headers above the limit are 431 or close the connection", async () => {
    const seen = await answer(request(`X-Long: ${"a".repeat(100_000)}\r\n`), { secure });
    expect(seen).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
    await expectAlive();
  });

  it.each([
    ["a whole URL", request(`Content-Length: ${BODY.length}\r\n`, BODY, `POST http://other${PATHS.chat}`)],
    ["an Upgrade", request(`${UPGRADE}Content-Length: ${BODY.length}\r\n`, BODY)],
    [
      "a Connection that names the length",
      request(`Connection: content-length\r\nContent-Length: ${BODY.length}\r\n`, BODY),
    ],
    ["two hosts", request(`Host: other\r\nContent-Length: ${BODY.length}\r\n`, BODY)],
    ["two keys", request(`Authorization: Bearer other\r\nContent-Length: ${BODY.length}\r\n`, BODY)],
    ["names of prototypes", request(`__proto__: a\r\nconstructor: b\r\nContent-Length: ${BODY.length}\r\n`, BODY)],
    ["an unknown Expect", request(`Expect: x\r\nContent-Length: ${BODY.length}\r\n`, BODY)],
  ])("%s is served as any other request", async (_name, bytes) => {
    const seen = await answer(bytes, { secure, until: /\r\n0\r\n\r\n$/ });
    expect(seen).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(seen).toContain("[DONE]");
  });

  it.each([
    ["in its request line", "POST /v1/ch"],
    ["in its body", request("Content-Length: 100\r\n", '{"mo')],
    ["in the greeting of HTTP/2", "PRI * HT"],
    ["after the greeting of HTTP/2", http2()],
    ["in an upload over HTTP/2", http2(frame(HEADERS, END_HEADERS, 1, headers(CHAT)), frame(DATA, 0, 1, "{"))],
  ])("a client that stops sending %s loses its connection", async (_name, bytes) => {
    await answer(bytes, { secure, half: true });
    await expectAlive();
  });
});

describe("resets of many clients at once do not end the process:", () => {
  it.each([
    ["an invalid URL", request("", "", "GET http://[x/v1")],
    ["an invalid host with an Upgrade and bytes after it", request(UPGRADE, "x".repeat(60_000), "GET /v1", "x:abc")],
    ["an Upgrade", request(UPGRADE, "", "GET /v1")],
    ["an Expect", request(`${EXPECT}Content-Length: 100\r\n`)],
    ["an Expect with an invalid host", request(`${EXPECT}Content-Length: 100\r\n`, "", "POST /v1", "x:abc")],
    ["an upload", request("Content-Length: 100000\r\n", "x".repeat(10_000))],
    ["an upload in chunks", request("Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\nff\r\nabc")],
    ["a stream", request(`Content-Length: ${BODY.length}\r\n`, BODY)],
    ["a CONNECT", request("", request(""), "CONNECT m:1", "m:1")],
    ["a part of a TLS greeting", Buffer.from([0x16, 3, 1, 2, 0, 1, 0])],
    ["a stream over HTTP/2", http2(frame(HEADERS, END_HEADERS, 1, headers(CHAT)), frame(DATA, END_STREAM, 1, BODY))],
    ["an Expect over HTTP/2", http2(frame(HEADERS, END_HEADERS, 1, headers({ ...CHAT, expect: "100-continue" })))],
  ])("%s", async (_name, bytes) => {
    await resets(bytes);
    await expectAlive();
  });
});

describe("over HTTP/2", () => {
  const open = (more: Readonly<Record<string, string>> = {}): Buffer => headers({ ...CHAT, ...more });
  it.each([
    ["an Expect whose stream is reset", http2(...rapid(open({ expect: "100-continue" })))],
    ["streams that are reset at once", http2(...rapid(open()))],
    ["an invalid authority", http2(frame(HEADERS, END_HEADERS | END_STREAM, 1, open({ ":authority": "x:abc" })))],
    ["an invalid path", http2(frame(HEADERS, END_HEADERS | END_STREAM, 1, open({ ":path": "http://[x/v1" })))],
    ["a CONNECT", http2(frame(HEADERS, END_HEADERS, 1, headers({ ":method": "CONNECT", ":authority": "m:1" })))],
    ["headers that are not HPACK", http2(frame(HEADERS, END_HEADERS, 1, Buffer.alloc(6, 0xff)))],
    [
      "headers without end",
      http2(
        frame(HEADERS, 0, 1, open()),
        ...Array.from({ length: 2000 }, () => frame(CONTINUATION, 0, 1, headers({ a: "b" }))),
      ),
    ],
    ["data of no stream", http2(frame(DATA, END_STREAM, 7, "abc"))],
    ["no frames", Buffer.from(PREFACE + "x".repeat(5000))],
  ])("%s does not end the process", async (_name, bytes) => {
    // GOAWAY: the mock closes the connection once it has answered.
    await answer(Buffer.concat([bytes, frame(GOAWAY, 0, 0, Buffer.alloc(8))]), { half: true });
    await expectAlive();
  });
});

it.concurrent.for(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGABRT", "SIGUSR2", "SIGKILL"] as const)(
  "the certificate goes with the mock that ends by %s",
  async (signal, { expect }) => {
    const { mock, caFile } = await startTlsMock();
    expect(existsSync(caFile)).toBe(true);
    mock.child.kill(signal);
    await mock.ended;
    await expect.poll(() => existsSync(caFile), { timeout: 30_000 }).toBe(false);
  },
);
