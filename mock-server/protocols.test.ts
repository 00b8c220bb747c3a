import { readFile } from "node:fs/promises";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { Agent, request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATHS } from "../contract/service.ts";
import type { Mock } from "./mock.ts";
import { KEY_HEADER, mockFor, send } from "./testing.ts";

const MESSAGES = [{ role: "user", content: "hi" }];
const CHAT = JSON.stringify({ model: "m", messages: MESSAGES });
const STREAM = JSON.stringify({ model: "m", messages: MESSAGES, stream: true });

interface Reply {
  readonly status: number;
  readonly text: string;
  /** Code of the error that ended the stream. */
  readonly error: string | undefined;
}

async function sessionTo(mock: Mock): Promise<ClientHttp2Session> {
  const ca = mock.caFile === undefined ? [] : [await readFile(mock.caFile)];
  const session = connectHttp2(mock.url, { ca });
  session.on("error", () => undefined);
  onTestFinished(() => session.destroy());
  return session;
}

/** Sends a request as a stream of HTTP/2. */
function over(session: ClientHttp2Session, body: string): Promise<Reply> {
  return new Promise((resolve) => {
    const stream = session.request({ ":method": "POST", ":path": PATHS.chat, ...KEY_HEADER });
    let [status, text] = [0, ""];
    let error: string | undefined;
    stream.setEncoding("utf8");
    stream.on("response", (headers) => {
      status = headers[":status"] ?? 0;
    });
    stream.on("data", (part) => {
      text += part;
    });
    stream.on("error", (cause) => {
      error = "code" in cause ? String(cause.code) : cause.message;
    });
    stream.on("close", () => resolve({ status, text, error }));
    stream.end(body);
  });
}

/** Sends bytes and gives all that comes until the connection ends. */
function raw(mock: Mock, bytes: string, until: (seen: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(mock.port, "127.0.0.1");
    let seen = "";
    socket.on("data", (part) => {
      seen += part.toString("latin1");
      if (until(seen)) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(seen));
    socket.write(bytes);
  });
}

const head = (...lines: readonly string[]) =>
  [`POST ${PATHS.chat} HTTP/1.1`, "Host: mock", `Authorization: ${KEY_HEADER.authorization}`, ...lines, "", ""].join(
    "\r\n",
  );

describe("TLS", () => {
  it("is trusted by who trusts the CA, and by nobody else", async () => {
    const mock = await mockFor({ tls: true });
    expect(mock.url).toMatch(/^https:\/\/localhost:\d+$/);
    const ask = async (ca: string | undefined) => {
      const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } });
      onTestFinished(() => dispatcher.destroy());
      const { statusCode, body } = await request(mock.url + PATHS.chat, {
        method: "POST",
        headers: KEY_HEADER,
        body: CHAT,
        dispatcher,
      });
      await body.dump();
      return statusCode;
    };
    expect(await ask(await readFile(mock.caFile ?? "", "utf8"))).toBe(200);
    await expect(ask(undefined)).rejects.toThrow(/certificate/);
  });

  it("leaves no file when the mock has stopped", async () => {
    const mock = await mockFor({ tls: true });
    await mock.stop();
    await expect(readFile(mock.caFile ?? "")).rejects.toThrow("ENOENT");
  });
});

describe("HTTP/2", () => {
  it("carries chat and streams at once on one connection, which the ledger numbers as one", async () => {
    const mock = await mockFor({ tls: true, outputTokens: 3, ttftMs: 5, itlMs: 5 });
    const session = await sessionTo(mock);
    const replies = await Promise.all([over(session, CHAT), over(session, STREAM), over(session, STREAM)]);
    expect(session.alpnProtocol).toBe("h2");
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies[1]?.text).toMatch(/^data: .*data: \[DONE\]\n\n$/s);
    expect(mock.ledger().map(({ connection, clientLeft }) => [connection, clientLeft])).toEqual([
      [1, false],
      [1, false],
      [1, false],
    ]);
  });

  it("is served without TLS too, to who knows it beforehand", async () => {
    expect((await over(await sessionTo(await mockFor()), CHAT)).status).toBe(200);
  });

  it("ends a stream that is reset with RST_STREAM, and no other", async () => {
    const mock = await mockFor({ tls: true, outputTokens: 4, itlMs: 20, faults: ["stream-reset@first:1"] });
    const session = await sessionTo(mock);
    const [broken, sound] = await Promise.all([over(session, STREAM), over(session, STREAM)]);
    expect(broken.error).toBe("ERR_HTTP2_STREAM_ERROR");
    expect(broken.text).toContain("content");
    expect([sound.error, sound.text.endsWith("[DONE]\n\n")]).toEqual([undefined, true]);
  });

  it.each(["stream-truncated", "stream-bad-chunk"])("loses its connection in the middle by %s", async (fault) => {
    const mock = await mockFor({ tls: true, outputTokens: 4, itlMs: 20, faults: [fault] });
    const session = await sessionTo(mock);
    const closed = new Promise((resolve) => session.once("close", () => resolve("closed")));
    const reply = await over(session, STREAM);
    expect(reply.text).toContain("content");
    expect(reply.text).not.toContain("[DONE]");
    expect(await closed).toBe("closed");
  });

  it.each(["all-429", "stream-error-frame", "stream-no-done", "stream-split-bytes", "stream-html", "stream-bom"])(
    "carries what %s does",
    async (fault) => {
      const options = { outputTokens: 3, faults: [fault], tls: true };
      const mock = await mockFor(options);
      const known = { headers: { ...KEY_HEADER, "x-request-id": "r" } };
      const wanted = await send(await mockFor({ ...options, tls: false }), {
        path: PATHS.chat,
        body: STREAM,
        ...known,
      });
      const got = await over(await sessionTo(mock), STREAM);
      expect([got.status, got.error]).toEqual([wanted.status, undefined]);
      expect(got.text.length).toBeGreaterThan(0);
      expect(got.text.startsWith("\uFEFF")).toBe(fault === "stream-bom");
      expect(got.text.includes("[DONE]")).toBe(wanted.text.includes("[DONE]"));
    },
  );

  it("frees what a client leaves in mid-stream", async () => {
    const mock = await mockFor({ tls: true, ttftMs: 0, itlMs: 50, outputTokens: 10_000 });
    const session = await sessionTo(mock);
    const reply = over(session, STREAM);
    await expect.poll(() => mock.state().openStreams).toBe(1);
    session.destroy();
    await reply;
    await expect.poll(() => mock.state().streams).toEqual({ started: 1, completed: 0, left: 1 });
  });
});

describe("HTTP/1.1", () => {
  it("zips an answer when that is asked for, and only then", async () => {
    const mock = await mockFor();
    const ask = async (encoding: string) => {
      const { headers, body } = await request(mock.url + PATHS.chat, {
        method: "POST",
        headers: { ...KEY_HEADER, "accept-encoding": encoding },
        body: CHAT,
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      expect(headers["content-length"]).toBe(String(bytes.length));
      return { encoding: headers["content-encoding"], bytes };
    };
    for (const asked of ["gzip", "br, gzip;q=0.5, *"]) {
      const { encoding, bytes } = await ask(asked);
      expect([encoding, JSON.parse(gunzipSync(bytes).toString()).model]).toEqual(["gzip", "m"]);
    }
    for (const asked of ["identity", "gzip;q=0", "br", "xgzip"]) expect((await ask(asked)).encoding).toBeUndefined();
  });

  it("says 100 Continue to who waits for it", async () => {
    const mock = await mockFor();
    const socket = connect(mock.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const next = () => new Promise<string>((resolve) => socket.once("data", (part) => resolve(part.toString())));
    socket.write(head("Expect: 100-continue", `Content-Length: ${CHAT.length}`));
    expect(await next()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(CHAT);
    expect(await next()).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it("takes a body in chunks, and answers a stream in chunks on a connection that lives on", async () => {
    const mock = await mockFor({ outputTokens: 2 });
    const chunked = (body: string) =>
      `${head("Transfer-Encoding: chunked")}5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`;
    const seen = await raw(mock, chunked(STREAM) + chunked(CHAT), (text) => text.includes('"chat.completion"'));
    expect(seen.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(seen).toMatch(/Transfer-Encoding: chunked\r\n/i);
    expect(mock.ledger().map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it("takes a body of 32 MiB to the byte, and no more", async () => {
    const mock = await mockFor();
    const body = (extra: number) => {
      const frame = JSON.stringify({ model: "m", input: "" });
      return frame.replace('""', `"${"x".repeat((32 << 20) - frame.length + extra)}"`);
    };
    const status = async (extra: number) =>
      (await send(mock, { path: PATHS.embeddings, body: body(extra), patienceMs: 20_000 })).status;
    expect([await status(0), await status(1)]).toEqual([200, 413]);
  });

  it("keeps time for others while one does not read", async () => {
    const mock = await mockFor({ ttftMs: 5, itlMs: 2, outputTokens: 40, faults: ["all-endless@header:x-slow=1"] });
    const slow = connect(mock.port, "127.0.0.1");
    onTestFinished(() => void slow.destroy());
    slow.pause();
    slow.write(`${head("X-Slow: 1", `Content-Length: ${CHAT.length}`)}${CHAT}`);
    const streams = await Promise.all(Array.from({ length: 8 }, () => send(mock, { path: PATHS.chat, body: STREAM })));
    expect(streams.every(({ text }) => text.endsWith("[DONE]\n\n"))).toBe(true);
    const ends = mock.ledger().map(({ endMs }) => endMs);
    expect(ends).toHaveLength(8);
    expect(Math.min(...ends)).toBeLessThan(83 + 100);
  });
});
