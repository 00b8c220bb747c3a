import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATHS } from "../../contract/service.ts";
import { KEY_HEADER, mockFor, send } from "../../tests/support/targets/mock-client.ts";
import type { Mock } from "../mock.ts";

const MESSAGES = [{ role: "user", content: "hi" }];
const CHAT = JSON.stringify({ model: "m", messages: MESSAGES });
const STREAM = JSON.stringify({ model: "m", messages: MESSAGES, stream: true });

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

/** A body without its chunk framing. */
const unchunked = (answer: string): string =>
  answer
    .slice(answer.indexOf("\r\n\r\n") + 4)
    .replace(/(?:^|\r\n)([0-9a-f]+)\r\n/g, "")
    .trimEnd()
    .concat("\n\n");

const head = (...lines: readonly string[]) =>
  [`POST ${PATHS.chat} HTTP/1.1`, "Host: mock", `Authorization: ${KEY_HEADER.authorization}`, ...lines, "", ""].join(
    "\r\n",
  );

describe("HTTP/1.1", () => {
  it("compresses a response only when the client accepts gzip", async () => {
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

  it("sends 100 Continue to a client that expects it", async () => {
    const mock = await mockFor();
    const socket = connect(mock.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const next = () => new Promise<string>((resolve) => socket.once("data", (part) => resolve(part.toString())));
    socket.write(head("Expect: 100-continue", `Content-Length: ${CHAT.length}`));
    expect(await next()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(CHAT);
    expect(await next()).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it("accepts a body in chunks, and returns a stream in chunks on a connection that stays open", async () => {
    const mock = await mockFor({ outputTokens: 2 });
    const chunked = (body: string) =>
      `${head("Transfer-Encoding: chunked")}5\r\n${body.slice(0, 5)}\r\n${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`;
    const seen = await raw(mock, chunked(STREAM) + chunked(CHAT), (text) => text.includes('"chat.completion"'));
    expect(seen.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(seen).toMatch(/Transfer-Encoding: chunked\r\n/i);
    expect(mock.groundTruth().map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it("responds to pipelined requests in their order, streams too", async () => {
    const mock = await mockFor({ ttftMs: 5, itlMs: 5, outputTokens: 3 });
    const one = (id: string) => `${head(`X-Request-Id: ${id}`, `Content-Length: ${STREAM.length}`)}${STREAM}`;
    const seen = await raw(mock, one("a") + one("b"), (text) => text.split("0\r\n\r\n").length === 3);
    const [first = "", second = ""] = seen.split("HTTP/1.1 200 OK").slice(1).map(unchunked);
    for (const text of [first, second]) {
      expect(text.match(/"delta":\{"content"/g)).toHaveLength(3);
      expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    }
    expect(first).not.toBe(second);
  });

  it("streams to HTTP/1.0 without chunks, and closes the connection at the end", async () => {
    const mock = await mockFor({ itlMs: 2, outputTokens: 3 });
    const old = head(`Content-Length: ${STREAM.length}`).replace("HTTP/1.1", "HTTP/1.0");
    const [headers, body = ""] = (await raw(mock, old + STREAM, () => false)).split("\r\n\r\n");
    expect(headers).not.toMatch(/chunked/i);
    expect(body).toMatch(/^data: \{[^\r]*data: \[DONE\]\n\n$/);
    expect(mock.groundTruth()[0]).toMatchObject({ tokens: 3, clientLeft: false });
  });

  it("accepts a body of exactly 32 MiB, and no more", async () => {
    const mock = await mockFor();
    const body = (extra: number) => {
      const frame = JSON.stringify({ model: "m", input: "" });
      return frame.replace('""', `"${"x".repeat((32 << 20) - frame.length + extra)}"`);
    };
    const status = async (extra: number) =>
      (await send(mock, { path: PATHS.embeddings, body: body(extra), patienceMs: 20_000 })).status;
    expect([await status(0), await status(1)]).toEqual([200, 413]);
  });

  it("serves other clients to their end while one does not read", async () => {
    const mock = await mockFor({ ttftMs: 5, itlMs: 2, outputTokens: 40, faults: ["all-endless@header:x-slow=1"] });
    const slow = connect(mock.port, "127.0.0.1");
    onTestFinished(() => void slow.destroy());
    slow.pause();
    slow.write(`${head("X-Slow: 1", `Content-Length: ${CHAT.length}`)}${CHAT}`);
    const streams = await Promise.all(Array.from({ length: 8 }, () => send(mock, { path: PATHS.chat, body: STREAM })));
    expect(streams.every(({ text }) => text.endsWith("[DONE]\n\n"))).toBe(true);
    expect(mock.state().lateness).toMatchObject({ count: 8 * 40 });
    // The one that does not read is still being written to.
    expect(mock.state().due).toBe(1);
  });
});
