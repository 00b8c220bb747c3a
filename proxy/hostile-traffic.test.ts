/** What one client or one target sends ends no more than its own exchange. */

import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { connect, type Socket } from "node:net";
import { generateCACertificate } from "mockttp";
import { describe, expect, onTestFinished, test } from "vitest";
import { exchangeRaw, proxyTo, proxyToTls, rawTarget, sendRaw, target } from "../tests/support/targets/raw-proxy.ts";
import { UnreadBytes } from "./held-bytes.ts";
import { targetFor } from "./negotiate.ts";
import { startProxy } from "./proxy-server.ts";
import type { SeenFailure } from "./tap.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const get = (path = "/", headers = "", version = "1.1"): string =>
  `GET ${path} HTTP/${version}\r\nHost: localhost\r\n${headers}\r\n`;
const CLOSE = "Connection: close\r\n";

/** A target that sends the bytes for the path `/hostile`, and is well otherwise. */
const hostileTarget = (bytes: string, after: (socket: Socket) => unknown = (socket) => socket.end()) =>
  rawTarget((socket, received) => {
    if (!received.startsWith("GET /hostile ")) return void socket.end(OK, "latin1");
    socket.write(bytes, "latin1", () => after(socket));
  });

/** The proxy passes the next exchange on. */
const expectAlive = async (port: number): Promise<void> =>
  expect(await exchangeRaw(port, get("/next", CLOSE))).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*ok(?:\r\n0\r\n\r\n)?$/);

describe("a target that sends", () => {
  test.each([
    ["a control byte in the reason phrase", "HTTP/1.1 200 O\u0001K\r\nContent-Length: 0\r\n\r\n"],
    ["the status 099", "HTTP/1.1 099 Early\r\nContent-Length: 0\r\n\r\n"],
    ["the status 000", "HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n"],
    ["101 and bytes of another protocol", "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nbytes"],
    ["no HTTP", "\u0000\u0001\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
  ])("%s: 502 with a reason, which is recorded", async (_, bytes) => {
    const { proxy, seen } = await proxyTo(await hostileTarget(bytes));
    const received = await exchangeRaw(proxy.port, get("/hostile"));
    expect(received).toMatch(/^HTTP\/1.1 502 [\s\S]*assay proxy: no response from the target: \w/);
    expect(seen[0]?.failure).toMatchObject({ by: "target", message: expect.stringMatching(/\w/) });
    await expectAlive(proxy.port);
  });

  test.each(["constructor", "__proto__", "toString"])(
    "103 with the header %s: all of it is passed on",
    async (name) => {
      const hints = `HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n${name}: 1\r\n\r\n`;
      const { proxy } = await proxyTo(await hostileTarget(hints + OK));
      const received = await exchangeRaw(proxy.port, get("/hostile", CLOSE));
      expect(received.toLowerCase()).toMatch(`\r\n${name.toLowerCase()}: 1\r\n\r\nhttp/1.1 200 ok`);
      await expectAlive(proxy.port);
    },
  );

  const TRAILERS = "Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n";
  test.each([
    ["trailers, for a client of HTTP/1.0", `HTTP/1.1 200 OK\r\n${TRAILERS}`, "1.0"],
    ["trailers after a counted body", "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\nok", "1.1"],
    ["100, for a client of HTTP/1.0", `HTTP/1.1 100 Continue\r\n\r\n${OK}`, "1.0"],
    ["102 without end before its response", "HTTP/1.1 102 Processing\r\n\r\n".repeat(10_000) + OK, "1.1"],
  ])("%s: the response is passed on", async (_, bytes, version) => {
    const { proxy } = await proxyTo(await hostileTarget(bytes));
    const received = await exchangeRaw(proxy.port, get("/hostile", CLOSE, version));
    expect(received).toMatch(
      version === "1.0" ? /^HTTP\/1.1 200 OK\r\n[\s\S]*\r\n\r\nok$/ : /HTTP\/1.1 200 OK[\s\S]*ok$/,
    );
    await expectAlive(proxy.port);
  });
});

test.each([
  ["102", "HTTP/1.1 102 Processing\r\n\r\n"],
  ["103", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"],
])("a target that sends %s without end holds up no other client, and is left with its own", async (_, interim) => {
  let poured: Socket | undefined;
  const url = await rawTarget((socket, received) => {
    if (received.startsWith("GET /next ")) return void socket.end(OK);
    const pour = (): void => void (socket.destroyed || socket.write(interim.repeat(1_000), pour));
    pour();
    poured = socket;
  });
  const { proxy, seen } = await proxyTo(url);
  const { socket } = await sendRaw(proxy.port, get("/endless"), /HTTP\/1.1 10/);
  socket.pause();
  await expectAlive(proxy.port);
  socket.destroy();
  await expect.poll(() => poured?.destroyed).toBe(true);
  expect(seen[0]).toMatchObject({ chunks: [], failure: { by: "client" } });
});

describe("a fault in the same packet as a response", () => {
  const CHUNK = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
  test("comes after what was sent before it", async () => {
    const { proxy, seen } = await proxyTo(await hostileTarget(`${CHUNK}zz\r\n`));
    const { received, end } = await sendRaw(proxy.port, get("/hostile"));
    expect([received.endsWith("\r\n\r\n3\r\nabc\r\n"), end]).toEqual([true, "FIN"]);
    expect(seen[0]).toMatchObject({ chunks: [3], failure: { by: "target" } });
    await expectAlive(proxy.port);
  });

  test("does not touch a response that is whole", async () => {
    const { proxy, seen } = await proxyTo(await hostileTarget(`${OK}no HTTP`));
    const { received, end } = await sendRaw(proxy.port, get("/hostile"));
    expect([received.endsWith("\r\n\r\nok"), end, seen[0]?.failure]).toEqual([true, "FIN", undefined]);
  });

  test.each([
    ["FIN", (socket: Socket) => socket.end()],
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
  ])("that is a %s is the same for the client", async (wanted, after) => {
    let end = (): void => undefined;
    const { proxy } = await proxyTo(
      await hostileTarget(CHUNK, (socket) => {
        end = () => void after(socket);
      }),
    );
    const { received, socket } = await sendRaw(proxy.port, get("/hostile"), /abc\r\n$/);
    expect(received).toMatch(/abc\r\n$/);
    const ended = Promise.race([once(socket, "end").then(() => "FIN"), once(socket, "close").then(() => "reset")]);
    end();
    expect(await ended.catch(() => "reset")).toBe(wanted);
  });
});

describe("a client that sends", () => {
  const post = (headers: string, body = "") =>
    `POST /v1?a=1 HTTP/1.1\r\nHost: localhost\r\n${headers}${CLOSE}\r\n${body}`;

  test.each([
    ["content-length", "Content-Length: 5\r\n", "GET /"],
    ["transfer-encoding", "Transfer-Encoding: chunked\r\n", "5\r\nGET /\r\n0\r\n\r\n"],
    ["host", "Content-Length: 5\r\n", "GET /"],
  ])("Connection: %s keeps the framing and the host", async (name, framing, body) => {
    let sent = "";
    const url = await rawTarget((socket, received) => {
      sent = received;
      if (/GET \/(?:\r\n0\r\n\r\n)?$/.test(received)) socket.end(OK);
    });
    const { proxy } = await proxyTo(url);
    expect(await exchangeRaw(proxy.port, post(`Connection: ${name}\r\n${framing}`, body))).toMatch(/ok$/);
    expect(sent).toMatch(framing);
    expect(sent).toMatch(`Host: ${new URL(url).host}\r\n`);
    expect(sent.endsWith(`\r\n\r\n${body}`)).toBe(true);
  });

  test.each([
    ["evil.example", "a name of another host"],
    ["localhost.evil.example:1", "a name that begins with one of the proxy"],
    ["192.0.2.7", "an address at which it does not listen"],
    ["", "an empty host"],
    ["localhost\r\nHost: localhost", "two hosts"],
    ["user@localhost", "a user"],
    ["localhost:x", "no port"],
  ])("Host: %s is refused, and recorded as a request of the client's own: %s", async (host) => {
    let served = 0;
    const { url } = await target((_, res) => {
      served += 1;
      res.end("ok");
    });
    const { proxy, seen } = await proxyTo(url);
    const received = await exchangeRaw(proxy.port, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(received).toMatch(/^HTTP\/1.1 400 [\s\S]*assay proxy: /);
    expect([served, seen.map(({ failure }) => failure?.by)]).toEqual([0, ["client"]]);
    await expectAlive(proxy.port);
  });

  test.each(["localhost", "LOCALHOST:9", "a.localhost", "127.0.0.1:80", "127.9.9.9", "[::1]:8080", "TARGET"])(
    "Host: %s is one of the proxy or of its target",
    async (host) => {
      const { url } = await target((_, res) => res.end("ok"));
      const { proxy } = await proxyTo(url);
      const own = host === "TARGET" ? new URL(url).host : host;
      expect(await exchangeRaw(proxy.port, `GET / HTTP/1.1\r\nHost: ${own}\r\n${CLOSE}\r\n`)).toMatch(/ok$/);
    },
  );

  test.each(["ftp://localhost/x", "http://evil.example/x", "http://user:pw@localhost/", "*", "no-slash", "http://"])(
    "the request target %s is refused with a reason",
    async (requestTarget) => {
      const { url } = await target((_, res) => res.end("ok"));
      const { proxy, seen } = await proxyTo(url);
      const received = await exchangeRaw(proxy.port, get(requestTarget).replace("GET *", "OPTIONS *"));
      expect(received).toMatch(/^HTTP\/1.1 400 /);
      for (const { failure } of seen) expect(failure?.by).toBe("client");
      await expectAlive(proxy.port);
    },
  );

  test("CONNECT is refused with a reason, also with bytes after it and a reset", async () => {
    const { url } = await target((_, res) => res.end("ok"));
    const { proxy } = await proxyTo(url);
    const tunnel = `CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n${get()}`;
    expect(await exchangeRaw(proxy.port, tunnel)).toMatch(/^HTTP\/1.1 400 [\s\S]*assay proxy: .*CONNECT/);
    const { socket } = await sendRaw(proxy.port, tunnel, /^H/);
    socket.resetAndDestroy();
    await expectAlive(proxy.port);
  });

  test.each([
    ["http://localhost:1/v1/x?y=1&z=%20", "/v1/x?y=1&z=%20"],
    ["HTTP://LOCALHOST?y=1", "/?y=1"],
    ["https://localhost/a?b=http://c/d", "/a?b=http://c/d"],
    ["//evil.example/x?y", "//evil.example/x?y"],
  ])("the request target %s gets to the target as %s", async (sent, wanted) => {
    const { url } = await target((req, res) => res.end(req.url));
    const { proxy } = await proxyTo(url);
    expect((await exchangeRaw(proxy.port, get(sent, CLOSE))).split("\r\n\r\n")[1]).toMatch(wanted);
  });

  test("an Upgrade gets what its request gets without it", async () => {
    let sent = "";
    const url = await rawTarget((socket, received) => {
      sent = received;
      socket.end(OK);
    });
    const { proxy } = await proxyTo(url);
    const upgrade = "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nConnection: Upgrade\r\nConnection: close\r\n";
    expect(await exchangeRaw(proxy.port, get("/", upgrade))).toMatch(/ok$/);
    expect(sent).not.toMatch(/upgrade|settings/i);
  });
});

const { cert, key } = await generateCACertificate({ subject: { commonName: "127.0.0.1" } });

describe("towards an HTTP/2 target, a client that sends", () => {
  test.each([
    ["two User-Agent", "User-Agent: a\r\nUser-Agent: b\r\n", 400],
    ["two Authorization", "Authorization: a\r\nAuthorization: b\r\n", 400],
    ["two Content-Type", "Content-Type: a/b\r\nContent-Type: a/b\r\n", 400],
    ["HTTP2-Settings", "HTTP2-Settings: AAMAAABk\r\n", 200],
    ["the header __proto__", "__proto__: a\r\nconstructor: b\r\n", 200],
  ])("%s", async (_, headers, status) => {
    const server = createSecureServer({ cert, key }, (_, res) => void res.end("ok"));
    const { proxy, seen } = await proxyToTls(server);
    expect(await exchangeRaw(proxy.port, get("/", headers + CLOSE))).toMatch(`HTTP/1.1 ${status}`);
    expect(seen[0]?.failure?.by).toBe(status === 400 ? "client" : undefined);
    await expectAlive(proxy.port);
  });
});

test("of an HTTP/2 response that its client does not read, 256 KiB are held", async () => {
  const server = createSecureServer({ cert, key });
  const windows: (number | undefined)[] = [];
  server.on("stream", (stream) => {
    windows.push(stream.session?.remoteSettings.initialWindowSize);
    stream.respond({ ":status": 200 });
    stream.end("ok");
  });
  const { proxy } = await proxyToTls(server);
  await expectAlive(proxy.port);
  expect(windows).toEqual([256 * 1024]);
});

describe("what clients do not read of HTTP/2 responses has a bound for all of them:", () => {
  test("the client that has read nothing for longest loses its response", () => {
    const ended: string[] = [];
    const unread = new UnreadBytes(10);
    const [a, b, c] = ["a", "b", "c"].map((name) => () => void ended.push(name));
    if (a === undefined || b === undefined || c === undefined) return;
    unread.set(a, 4);
    unread.set(b, 5);
    unread.set(a, 3);
    unread.set(c, 2);
    expect(ended).toEqual([]);
    unread.set(c, 3);
    expect(ended).toEqual(["b"]);
    unread.set(b, 0);
    unread.set(c, 7);
    expect(ended).toEqual(["b"]);
    unread.set(c, 8);
    expect(ended).toEqual(["b", "a"]);
  });

  test("those that lose theirs are reset and recorded, and one that reads gets all of its own", async () => {
    const [piece, whole] = [Buffer.alloc(64 * 1024, "x"), 4 * 1024 * 1024];
    const server = createSecureServer({ cert, key });
    server.on("stream", (stream, headers) => {
      stream.on("error", () => undefined).respond({ ":status": 200 });
      if (headers[":path"] !== "/endless") return void stream.end(Buffer.alloc(whole, "x"));
      const pour = (): void => void (stream.destroyed || stream.write(piece, pour));
      pour();
    });
    const { proxy, seen } = await proxyToTls(server, new UnreadBytes(600 * 1024));
    for (let sent = 0; sent < 4; sent += 1) {
      const socket = connect(proxy.port, "127.0.0.1").on("error", () => undefined);
      onTestFinished(() => void socket.destroy());
      socket.write(get("/endless"));
    }
    // How many lose theirs depends on what the sockets take in before: each holds up to 256 KiB beyond that.
    const lost = () => seen.filter(({ failure }) => failure?.by === "client").length;
    await expect.poll(lost).toBeGreaterThan(0);
    expect((await exchangeRaw(proxy.port, get("/", CLOSE))).match(/x/g)).toHaveLength(whole);
    await expect.poll(() => proxy.open() + lost()).toBe(4);
  });
});

describe("a client that sends requests in a row without waiting for a response:", () => {
  test("those beyond 64 are refused with a reason, after the others", async () => {
    let answer = (_: Socket): unknown => undefined;
    let first: Socket | undefined;
    const url = await rawTarget((socket) => {
      first ??= socket;
      answer(socket);
    });
    const { proxy, seen } = await proxyTo(url);
    const client = sendRaw(proxy.port, get().repeat(65));
    await expect.poll(() => seen.map(({ failure }) => failure?.by).at(64)).toBe("client");
    answer = (socket) => socket.write(OK);
    first?.write(OK);
    const { received, end } = await client;
    expect(received.match(/HTTP\/1.1 200 OK/g)).toHaveLength(64);
    expect(received).toMatch(/HTTP\/1.1 400 [\s\S]*more than 64 requests were sent on one connection[^\r]*$/);
    expect(end).toBe("FIN");
  });

  test("a flood of them ends its own connection", async () => {
    const url = await rawTarget((socket, received) => void (received.startsWith("GET /next ") && socket.end(OK)));
    const { proxy, seen } = await proxyTo(url);
    expect(await sendRaw(proxy.port, get().repeat(5_000))).toMatchObject({ received: "", end: "reset" });
    await expect.poll(() => proxy.open()).toBe(0);
    expect(seen).toHaveLength(128);
    await expectAlive(proxy.port);
  });
});

describe("what throws within an exchange ends it alone:", () => {
  const fault = (): never => {
    throw new Error("a fault of the proxy");
  };
  test.each([
    ["tap", "502"],
    ["requestData", "502"],
    ["head", "502"],
    ["responseData", "200"],
    ["end", "200"],
  ] as const)("%s", async (where, status) => {
    const { url } = await target((req, res) => void req.pipe(res));
    const nothing = { requestData: () => undefined, head: () => undefined, responseData: () => undefined };
    let opened = 0;
    const ends: (SeenFailure | undefined)[] = [];
    const proxy = await startProxy({
      host: "127.0.0.1",
      port: 0,
      address: url,
      target: await targetFor(url),
      tap: () => {
        opened += 1;
        const tap = { ...nothing, end: (_: number, failure?: SeenFailure) => void ends.push(failure) };
        if (opened > 1) return tap;
        return where === "tap" ? fault() : { ...tap, [where]: fault };
      },
    });
    onTestFinished(() => proxy.kill());
    const post = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n${CLOSE}\r\nok`;
    expect(await exchangeRaw(proxy.port, post)).toMatch(`HTTP/1.1 ${status} `);
    expect(await exchangeRaw(proxy.port, post)).toMatch(/^HTTP\/1.1 200 OK/);
    const failed = where === "tap" || where === "end" ? [] : [expect.stringMatching("a fault of the proxy")];
    expect(ends.map((failure) => failure?.message)).toEqual([...failed, undefined]);
    expect(proxy.open()).toBe(0);
  });

  test("a client that leaves ends all requests that it has sent in a row", async () => {
    const url = await rawTarget(() => undefined);
    const { proxy, seen } = await proxyTo(url);
    const socket = connect(proxy.port, "127.0.0.1").on("error", () => undefined);
    socket.write(get("/1") + get("/2") + get("/3"));
    await expect.poll(() => seen.length).toBe(3);
    socket.destroy();
    await Promise.all(seen.map(({ ended }) => ended));
    expect(seen.map(({ failure }) => failure?.by)).toEqual(["client", "client", "client"]);
  });
});

describe("the first stop ends it", () => {
  test.each([
    ["an idle keep-alive connection", get("/idle"), /ok$/],
    ["no byte", "", undefined],
    ["half a head", "GET /half HTTP/1.1\r\nHo", undefined],
    ["half a body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf", undefined],
    ["an Upgrade that the target takes", get("/hostile", "Connection: Upgrade\r\nUpgrade: x\r\n"), /502/],
    ["a request to which no response comes", get("/hangs"), undefined],
    ["a response without end", get("/endless"), /x\r\n$/],
  ])("with %s", async (_, bytes, until) => {
    const url = await rawTarget((socket, received) => {
      if (received.startsWith("GET /idle")) socket.write(OK);
      if (received.startsWith("GET /hostile"))
        socket.write("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
      if (received.startsWith("GET /endless")) socket.write("HTTP/1.1 200 OK\r\n\r\nx");
    });
    const { proxy, seen } = await proxyTo(url);
    const client = sendRaw(proxy.port, bytes, until);
    if (until !== undefined) await client;
    // What another connection is answered came after what this one sent.
    else await exchangeRaw(proxy.port, get("/idle", CLOSE), /ok$/);
    if (/hangs|Content/.test(bytes)) await expect.poll(() => proxy.open()).toBe(1);
    await proxy.stop(1);
    await Promise.all(seen.map(({ ended }) => ended));
    expect(proxy.open()).toBe(0);
  });

  test("a keep-alive connection ends with the response that is on its way, and nothing new is taken", async () => {
    let finish = (): void => undefined;
    const { url } = await target((_, res) => {
      res.write("a");
      finish = () => res.end("b");
    });
    const { proxy, seen } = await proxyTo(url);
    const response = sendRaw(proxy.port, get("/"));
    await expect.poll(() => seen[0]?.chunks).toEqual([1]);
    const stopped = proxy.stop();
    await expect(fetch(`http://127.0.0.1:${proxy.port}/`)).rejects.toThrow();
    finish();
    expect(await response).toMatchObject({ received: expect.stringMatching(/a\r\n1\r\nb\r\n0\r\n\r\n$/), end: "FIN" });
    await stopped;
    expect(seen[0]?.failure).toBeUndefined();
  });
});
