import { once } from "node:events";
import { type IncomingMessage, request, ServerResponse } from "node:http";
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from "node:http2";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { generateCACertificate } from "mockttp";
import { describe, expect, onTestFinished, test } from "vitest";
import { exchangeRaw, listening, proxyTo, proxyToTls, rawTarget, target } from "../tests/support/targets/raw-proxy.ts";
import { targetFor } from "./negotiate.ts";

describe("headers", () => {
  test("are kept in order and case, less those of the connection; Host is that of the target", async () => {
    let sent = "";
    const url = await rawTarget((socket, received) => {
      sent = received;
      socket.end(
        "HTTP/1.1 200 Fine\r\nX-ODD-case: \u00e4\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nX-Hop: 1\r\n" +
          "Connection: X-Hop, close\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\nok",
      );
    });
    const { proxy } = await proxyTo(url);
    const received = await exchangeRaw(
      proxy.port,
      "GET /v1/x?a=%20b HTTP/1.1\r\nhOsT: LocalHost\r\nZ-First: 1\r\nAccept: a\r\nX-Secret-Hop: 1\r\n" +
        "accept: b\r\nConnection: close, X-Secret-Hop\r\nProxy-Connection: x\r\nUpgrade: websocket\r\nTE: trailers\r\n\r\n",
    );
    const lines = sent.split("\r\n");
    expect(lines.slice(0, 5)).toEqual([
      "GET /v1/x?a=%20b HTTP/1.1",
      `hOsT: ${new URL(url).host}`,
      "Z-First: 1",
      "Accept: a",
      "accept: b",
    ]);
    expect(lines.slice(5).join()).not.toMatch(/hop|proxy|upgrade|TE:/i);
    expect(received.split("\r\n").slice(0, 5)).toEqual([
      "HTTP/1.1 200 Fine",
      "X-ODD-case: \u00c3\u00a4",
      "Set-Cookie: a=1",
      "set-cookie: b=2",
      "Content-Length: 2",
    ]);
    expect(received).not.toMatch(/x-hop|keep-alive|date:/i);
    expect(received.endsWith("\r\n\r\nok")).toBe(true);
  });

  test("a path of the target comes before that of the request", async () => {
    const { url } = await target((req, res) => res.end(req.url));
    const { proxy } = await proxyTo(`${url}/base/`);
    expect(await (await fetch(`http://127.0.0.1:${proxy.port}/v1/x?y=1`)).text()).toBe("/base/v1/x?y=1");
  });
});

test("requests that come before they can be recorded wait; one whose client has left by then is not sent", async () => {
  let served = 0;
  const { url } = await target((_, res) => {
    served += 1;
    res.end("ok");
  });
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { proxy, seen } = await proxyTo(url, {}, begun);
  const response = fetch(`http://127.0.0.1:${proxy.port}/waiting`);
  const leaving = connect(proxy.port, "127.0.0.1");
  leaving.write("GET /left HTTP/1.1\r\nHost: localhost\r\n\r\n");
  leaving.end();
  await once(leaving.resume(), "close");
  expect([served, seen.length]).toEqual([0, 0]);
  begin();
  expect(await (await response).text()).toBe("ok");
  expect([served, seen.map(({ url }) => new URL(url).pathname)]).toEqual([1, ["/waiting"]]);
});

describe("bodies", () => {
  test("of 32 MiB pass both ways, byte for byte", async () => {
    const { url } = await target((req, res) => req.pipe(res));
    const { proxy } = await proxyTo(url);
    const body = Buffer.alloc(32 * 1024 * 1024, "0123456789abcdef\u0000\u00ff", "latin1");
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`, { method: "POST", body });
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
  });

  test("a chunk is passed on before the next one is there, in either direction", async () => {
    const { url } = await target((req, res) => {
      // Each chunk is answered by one, so that nothing goes on unless every chunk arrives alone.
      req.on("data", (chunk: Buffer) => res.write(`<${chunk}>`));
      req.on("end", () => res.end());
    });
    const { proxy, seen } = await proxyTo(url);
    const client = request({ port: proxy.port, method: "POST", path: "/" });
    client.write("a");
    const [response]: IncomingMessage[] = await once(client, "response");
    const chunks: string[] = [];
    response?.setEncoding("utf8").on("data", (chunk: string) => {
      chunks.push(chunk);
      if (chunks.length < 5) client.write("bcdef"[chunks.length - 1] ?? "");
      else client.end();
    });
    await once(response ?? client, "end");
    expect(chunks).toEqual(["<a>", "<b>", "<c>", "<d>", "<e>"]);
    await seen[0]?.ended;
    expect(seen[0]?.chunks).toEqual([3, 3, 3, 3, 3]);
  });

  test("chunks that came together stay apart", async () => {
    const url = await rawTarget((socket) => {
      socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 3\r\n\r\n");
    });
    const { proxy } = await proxyTo(url);
    const received = await exchangeRaw(proxy.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(received.slice(received.indexOf("\r\n\r\n"))).toBe("\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 3\r\n\r\n");
  });

  test("chunks of a request stay apart, also those that wait until the target reads on", async () => {
    const received: Buffer[] = [];
    const targets: Socket[] = [];
    const url = await rawTarget((socket, begin) => {
      if (targets.length > 0) return;
      targets.push(socket.pause());
      received.push(Buffer.from(begin, "latin1"));
      socket.on("data", (data) => {
        received.push(data);
        if (data.toString("latin1").endsWith("0\r\n\r\n")) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
      });
    });
    const { proxy, seen } = await proxyTo(url);
    const client = connect(proxy.port, "127.0.0.1");
    client.write("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.write(`2000\r\n${"x".repeat(8_192)}\r\n`.repeat(2_048));
    client.write("0\r\n\r\n");
    let before = -1;
    const hasStopped = (): boolean => {
      const passed = seen[0]?.requestBytes ?? 0;
      const isSame = passed > 0 && passed === before;
      before = passed;
      return isSame;
    };
    await expect.poll(hasStopped).toBe(true);
    for (const socket of targets) socket.resume();
    await once(client.resume(), "close");
    const lines = Buffer.concat(received)
      .toString("latin1")
      .matchAll(/^([\da-f]+)\r$/gm);
    const sizes = Array.from(lines, ([, size = ""]) => Number.parseInt(size, 16));
    expect(Math.max(...sizes)).toBe(8_192);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2_048 * 8_192);
  });

  test("a body that ends with the connection", async () => {
    const url = await rawTarget((socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\nuntil the end"));
    const { proxy } = await proxyTo(url);
    expect(await (await fetch(`http://127.0.0.1:${proxy.port}/`)).text()).toBe("until the end");
  });

  test("a target that reads slowly slows the client, whose body is not held", async () => {
    const { url } = await target(() => undefined);
    const { proxy, seen } = await proxyTo(url);
    const client = request({ port: proxy.port, method: "POST", path: "/" });
    client.on("error", () => undefined);
    const piece = Buffer.alloc(1 << 20);
    let written = 0;
    // Node's buffers and those of the system hold a few megabytes; then nothing more is taken.
    const write = (): void => {
      while (written < 256 && client.write(piece)) written += 1;
    };
    client.on("drain", write);
    write();
    await expect.poll(() => seen[0]?.requestBytes ?? 0).toBeGreaterThan(0);
    const before = written;
    await expect.poll(() => written).toBe(before);
    expect(written).toBeLessThan(64);
    client.destroy();
  });

  test("100 Continue is asked of the target", async () => {
    let body = "";
    const { url, server } = await target((req, res) => res.end(req.method));
    server.on("checkContinue", async (req: IncomingMessage, res: ServerResponse) => {
      res.writeContinue();
      body = await text(req);
      res.end("thanks");
    });
    const { proxy } = await proxyTo(url);
    const client = request({
      port: proxy.port,
      method: "POST",
      headers: { expect: "100-continue", "content-length": 4 },
    });
    client.flushHeaders();
    await once(client, "continue");
    client.end("body");
    const [response]: IncomingMessage[] = await once(client, "response");
    expect(response && (await text(response))).toBe("thanks");
    expect(body).toBe("body");
  });
});

describe("interim responses", () => {
  test("103 Early Hints come before the response, and so does 102", async () => {
    const url = await rawTarget((socket) => {
      socket.end(
        "HTTP/1.1 102 Processing\r\n\r\n" +
          "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload, </b.js>; rel=preload\r\nLink: </c.js>; rel=preload\r\nX-Hint: 1\r\n\r\n" +
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      );
    });
    const { proxy, seen } = await proxyTo(url);
    const received = await exchangeRaw(proxy.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(received.toLowerCase()).toBe(
      "http/1.1 102 processing\r\n\r\n" +
        "http/1.1 103 early hints\r\nlink: </a.css>; rel=preload, </b.js>; rel=preload, </c.js>; rel=preload\r\nx-hint: 1\r\n\r\n" +
        "http/1.1 200 ok\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok",
    );
    expect(seen[0]?.status).toBe(200);
  });

  test("hints that Node refuses to write, and those for a client of HTTP/1.0, are left out", async () => {
    const url = await rawTarget((socket) => {
      socket.end("HTTP/1.1 103 Early Hints\r\nLink: no link\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    const { proxy } = await proxyTo(url);
    for (const version of ["1.0", "1.1"]) {
      const request = `GET / HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      expect(await exchangeRaw(proxy.port, request)).toMatch(/^HTTP\/1.1 200 OK/);
    }
  });
});

describe("one side leaves", () => {
  test("a client that leaves ends its request to the target", async () => {
    let left: Promise<unknown> = Promise.resolve();
    const { url } = await target((_, res) => {
      left = once(res, "close");
      res.write("first");
    });
    const { proxy, seen } = await proxyTo(url);
    const end = new AbortController();
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`, { signal: end.signal });
    await response.body?.getReader().read();
    end.abort();
    await left;
    await seen[0]?.ended;
    expect(seen[0]?.failure?.by).toBe("client");
  });

  test("a target that leaves before its response is a 502 that says why", async () => {
    const url = await rawTarget((socket) => socket.resetAndDestroy());
    const { proxy, seen } = await proxyTo(url);
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`, { method: "POST", body: "x" });
    expect(response.status).toBe(502);
    expect(await response.text()).toMatch("assay proxy: no response from the target");
    expect(seen[0]?.failure).toMatchObject({ by: "target", code: "ECONNRESET" });
    expect(seen[0]?.status).toBeUndefined();
  });

  test("a target that leaves within its response cuts that of the client at the same place", async () => {
    const url = await rawTarget((socket) => {
      socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    });
    const { proxy, seen } = await proxyTo(url);
    const received = await exchangeRaw(proxy.port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(received.endsWith("3\r\nabc\r\n")).toBe(true);
    expect(seen[0]?.failure?.by).toBe("target");
  });

  test("an idle connection ends when the target ends its own", async () => {
    const { url, server } = await target((_, res) => res.end("ok"));
    const { proxy } = await proxyTo(url);
    const socket = connect(proxy.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
    const ended = once(socket, "end");
    server.closeAllConnections();
    await ended;
  });
});

describe("TLS", async () => {
  const { cert, key } = await generateCACertificate({ subject: { commonName: "127.0.0.1" } });

  const serve = (req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse): void => {
    res.setHeader("x-version", req.httpVersion);
    res.setHeader("set-cookie", ["a=1", "b=2"]);
    if (res instanceof ServerResponse) req.pipe(res);
    else req.pipe(res);
  };

  test.each([
    ["2.0", () => createSecureServer({ cert, key, allowHTTP1: true }, serve)],
    ["1.1", () => createTlsServer({ cert, key }, serve)],
  ])("HTTP/%s, as the target prefers", async (version, create) => {
    const { proxy } = await proxyToTls(create());
    const body = Buffer.alloc(5 * 1024 * 1024, "x");
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`, { method: "POST", body });
    expect(response.headers.get("x-version")).toBe(version);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect((await response.arrayBuffer()).byteLength).toBe(body.length);
  });

  test("over HTTP/2, a stream that the target resets cuts the response; the other streams go on", async () => {
    const server = createSecureServer({ cert, key }, (req, res) => {
      if (req.url === "/echo") return void req.pipe(res);
      res.write("part");
      setImmediate(() => res.stream.close(2));
    });
    const { proxy, seen } = await proxyToTls(server);
    const received = await exchangeRaw(proxy.port, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(received.endsWith("4\r\npart\r\n")).toBe(true);
    expect(seen[0]?.failure?.by).toBe("target");
    const echo = await fetch(`http://127.0.0.1:${proxy.port}/echo`, { method: "POST", body: "again" });
    expect(await echo.text()).toBe("again");
  });

  /** Ends a connection with open streams. */
  type Cut = (session: Http2Session, socket: Socket) => void;
  /** A response to a ping says that what was sent before it has arrived. */
  const afterGoaway =
    (end: Cut): Cut =>
    (session, socket) => {
      session.goaway(0);
      session.ping(() => end(session, socket));
    };
  const CUTS: readonly (readonly [string, Cut])[] = [
    ["GOAWAY and a reset", afterGoaway((_, socket) => socket.resetAndDestroy())],
    ["GOAWAY and its end", afterGoaway((_, socket) => socket.destroy())],
    ["GOAWAY and the end of its session", afterGoaway((session) => session.destroy())],
    ["a reset", (_, socket) => void socket.resetAndDestroy()],
  ];

  test.each(CUTS)("over HTTP/2, a connection that ends with %s cuts each of its responses", async (_, cut) => {
    const sockets: Socket[] = [];
    const open: Http2ServerResponse[] = [];
    const server = createSecureServer({ cert, key }, (_, res) => {
      res.write("part");
      open.push(res.on("error", () => undefined));
    });
    server.on("connection", (socket: Socket) => sockets.push(socket.on("error", () => undefined)));
    server.on("session", (session) => session.on("error", () => undefined));
    const { proxy, seen } = await proxyToTls(server);
    const streams = 5;
    const responses = await Promise.all(
      Array.from({ length: streams }, () => fetch(`http://127.0.0.1:${proxy.port}/`)),
    );
    const [session] = open.map(({ stream }) => stream.session);
    const socket = sockets.at(-1);
    if (session === undefined || socket === undefined) throw new Error("no session was open");
    cut(session, socket);
    for (const response of responses) await expect(response.text()).rejects.toThrow();
    await Promise.all(seen.map(({ ended }) => ended));
    expect(seen.map(({ failure }) => failure?.by)).toEqual(Array.from({ length: streams }, () => "target"));
  });

  test.each(CUTS.slice(0, 3))(
    "over HTTP/2, of the responses of a connection that ends with %s, those that had ended are whole",
    async (_, cut) => {
      let socket: Socket | undefined;
      let session: Http2Session | undefined;
      const sent: Promise<unknown>[] = [];
      const paths = Array.from({ length: 8 }, (_, index) => (index % 3 === 1 ? `/${index}/whole` : `/${index}/open`));
      const server = createSecureServer({ cert, key }, (req, res) => {
        session = res.on("error", () => undefined).stream.session;
        res.write("part");
        if (!req.url.endsWith("whole")) return;
        sent.push(once(res.stream, "close"));
        res.end("and the rest");
      });
      server.on("connection", (one: Socket) => {
        socket = one.on("error", () => undefined);
      });
      server.on("session", (one) => one.on("error", () => undefined));
      const { proxy } = await proxyToTls(server);
      const responses = await Promise.all(paths.map((path) => fetch(`http://127.0.0.1:${proxy.port}${path}`)));
      if (session === undefined || socket === undefined) throw new Error("no session was open");
      await Promise.all(sent);
      cut(session, socket);
      const texts = await Promise.all(responses.map((response) => response.text().catch(() => "cut")));
      expect(texts).toEqual(paths.map((path) => (path.endsWith("whole") ? "partand the rest" : "cut")));
    },
  );

  test("over HTTP/2, responses whose headers and body arrive in one read keep their status and headers", async () => {
    const server = createSecureServer({ cert, key }, (_, res) => {
      res.writeHead(201, { "x-own": "1" });
      res.write("part");
      res.end("rest");
    });
    const { proxy, seen } = await proxyToTls(server);
    const get = async () => {
      const response = await fetch(`http://127.0.0.1:${proxy.port}/`);
      return [response.status, response.headers.get("x-own"), await response.text().catch(() => "cut")].join(" ");
    };
    const all: string[] = [];
    for (let round = 0; round < 10; round += 1) all.push(...(await Promise.all(Array.from({ length: 20 }, get))));
    expect(new Set(all)).toEqual(new Set(["201 1 partrest"]));
    await Promise.all(seen.map(({ ended }) => ended));
    expect(seen.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  test("over HTTP/2, a response is whole when the connection ends after the mark of its end", async () => {
    const server = createSecureServer({ cert, key }, (_, res) => {
      res.end("whole");
      res.stream.session?.goaway(0);
    });
    const { proxy, seen } = await proxyToTls(server);
    expect(await (await fetch(`http://127.0.0.1:${proxy.port}/`)).text()).toBe("whole");
    await seen[0]?.ended;
    expect(seen[0]?.failure).toBeUndefined();
  });

  test.each([
    ["after the last byte, before the mark of the end, has the whole response", 2, undefined],
    ["before the last byte has not", 3, "client"],
  ])("over HTTP/2, a client that leaves %s", async (_, length, by) => {
    const server = createSecureServer({ cert, key });
    server.on("stream", (stream) => {
      stream.on("error", () => undefined);
      stream.respond({ ":status": 200, "content-length": length });
      stream.write("ok");
    });
    const { proxy, seen } = await proxyToTls(server);
    const client = connect(proxy.port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for await (const data of client) if (/ok$/.test(String(data))) break;
    await seen[0]?.ended;
    expect([seen[0]?.chunks, seen[0]?.failure?.by]).toEqual([[2], by]);
  });

  test.each([
    [2, 200, "sent on"],
    [3, 502, "REFUSED_STREAM"],
  ])("over HTTP/2, a request that the target refuses %d times to process gets %d", async (times, status, body) => {
    let refusals = 0;
    const server = createSecureServer({ cert, key });
    server.on("stream", (stream) => {
      stream.on("error", () => undefined);
      refusals += 1;
      if (refusals <= times) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.respond({ ":status": 200 });
      stream.pipe(stream);
    });
    const { proxy, seen } = await proxyToTls(server);
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`, { method: "POST", body: "sent on" });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(body)]);
    await seen[0]?.ended;
    expect([seen.length, seen[0]?.failure?.by]).toEqual([1, status === 502 ? "target" : undefined]);
  });

  test("103 Early Hints of HTTP/2 are passed on", async () => {
    const server = createSecureServer({ cert, key }, (_, res) => {
      res.writeEarlyHints({ link: "</a.css>; rel=preload" });
      res.end("ok");
    });
    const { proxy } = await proxyToTls(server);
    const received = await exchangeRaw(proxy.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(received).toMatch(/^HTTP\/1.1 103 Early Hints\r\nlink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200/i);
  });

  test("a certificate that is not trusted is an error at the start", async () => {
    await expect(targetFor(await listening(createSecureServer({ cert, key }), "https"))).rejects.toThrow(
      /certificate/i,
    );
  });
});
