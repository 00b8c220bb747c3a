import { readFile } from "node:fs/promises";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { Agent, request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATHS } from "../../contract/service.ts";
import { KEY_HEADER, mockFor } from "../../tests/support/targets/mock-client.ts";
import type { Mock } from "../mock.ts";
import { FAULTS } from "../variants/all-variants.ts";

const MESSAGES = [{ role: "user", content: "hi" }];
const CHAT = JSON.stringify({ model: "m", messages: MESSAGES });
const STREAM = JSON.stringify({ model: "m", messages: MESSAGES, stream: true });

/** Faults that change only bytes of HTTP/1.1 or times, which the text of a response over HTTP/2 does not show, or other requests. */
const UNSEEN = [
  ...["stream-split-bytes", "stream-coalesced", "stream-at-once", "stream-pause", "stream-slow-headers"],
  "stream-temperature-max-500",
  // Usage where the request does not ask for it.
  ...["stream-usage-always", "stream-usage-with-finish"],
];
/** Characters after which a stream is taken for one that never ends. */
const LONGEST = 16_384;
const streamFaults = FAULTS.filter(({ route, transformStream }) => route === "chat.stream" && transformStream);

const WITH_USAGE = JSON.stringify({ ...JSON.parse(STREAM), stream_options: { include_usage: true } });

interface Reply {
  readonly status: number;
  readonly type: string | undefined;
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

/** Sends a request as a stream of HTTP/2; `heard` is called with the text after each part of it. */
function over(session: ClientHttp2Session, body: string, heard?: (text: string) => void): Promise<Reply> {
  return new Promise((resolve) => {
    const stream = session.request({ ":method": "POST", ":path": PATHS.chat, ...KEY_HEADER });
    let [status, text] = [0, ""];
    let [type, error]: (string | undefined)[] = [];
    stream.setEncoding("utf8");
    stream.on("response", (headers) => {
      status = headers[":status"] ?? 0;
      type = headers["content-type"];
    });
    stream.on("data", (part) => {
      text += part;
      heard?.(text);
    });
    stream.on("error", (cause) => {
      error = "code" in cause ? String(cause.code) : cause.message;
    });
    stream.on("close", () => resolve({ status, type, text, error }));
    stream.end(body);
  });
}

describe("TLS", () => {
  it("is trusted by clients that trust the CA, and by no others", async () => {
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

/** Each completion has an id of its own: ids by the order in which they appear, and no times. */
function comparable(text: string): string {
  const ids = [...new Set(text.match(/chatcmpl-\w+/g))];
  return text.replaceAll(/"created\\":\d{10}\b/g, "").replaceAll(/chatcmpl-\w+/g, (id) => `<id ${ids.indexOf(id)}>`);
}

describe("HTTP/2", () => {
  it("serves chats and streams at once on one connection, which is recorded as one", async () => {
    const mock = await mockFor({ tls: true, outputTokens: 3, ttftMs: 5, itlMs: 5 });
    const session = await sessionTo(mock);
    const replies = await Promise.all([over(session, CHAT), over(session, STREAM), over(session, STREAM)]);
    expect(session.alpnProtocol).toBe("h2");
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies[1]?.text).toMatch(/^data: .*data: \[DONE\]\n\n$/s);
    expect(mock.groundTruth().map(({ connection, clientLeft }) => [connection, clientLeft])).toEqual([
      [1, false],
      [1, false],
      [1, false],
    ]);
  });

  it("is served without TLS too, with prior knowledge", async () => {
    expect((await over(await sessionTo(await mockFor()), CHAT)).status).toBe(200);
  });

  it("resets a stream with RST_STREAM, and no other", async () => {
    const mock = await mockFor({ tls: true, outputTokens: 4, itlMs: 20, faults: ["stream-reset@first:1"] });
    const session = await sessionTo(mock);
    const [broken, sound] = await Promise.all([over(session, STREAM), over(session, STREAM)]);
    expect(broken.error).toBe("ERR_HTTP2_STREAM_ERROR");
    expect(broken.text).toContain("content");
    expect([sound.error, sound.text.endsWith("[DONE]\n\n")]).toEqual([undefined, true]);
  });

  it.each(["stream-truncated", "stream-bad-chunk"])("loses its connection in the middle on %s", async (fault) => {
    const mock = await mockFor({ tls: true, outputTokens: 4, itlMs: 20, faults: [fault] });
    const session = await sessionTo(mock);
    const closed = new Promise((resolve) => session.once("close", () => resolve("closed")));
    const reply = await over(session, STREAM);
    expect(reply.text).toContain("content");
    expect(reply.text).not.toContain("[DONE]");
    expect(await closed).toBe("closed");
  });

  it("shows every fault of streams", async () => {
    const mock = await mockFor({ tls: true, outputTokens: 4, itlMs: 2 });
    const look = async (fault: string | undefined): Promise<string> => {
      mock.setFaults(fault === undefined ? [] : [fault]);
      const session = await sessionTo(mock);
      const reply = over(session, WITH_USAGE, (text) => {
        if (text.length > LONGEST) session.destroy();
      });
      let hasEnded = false;
      void reply.then(() => {
        hasEnded = true;
      });
      // One that stops for good is open, and the mock has nothing more to write to it.
      const hasStopped = ({ openStreams, due } = mock.state()): boolean => openStreams > 0 && due === 0;
      while (!hasEnded && !hasStopped()) await new Promise(setImmediate);
      session.destroy();
      await expect.poll(() => mock.state().openStreams).toBe(0);
      return comparable(JSON.stringify(await reply));
    };
    const sound = await look(undefined);
    expect(await look(undefined)).toBe(sound);
    const unseen: string[] = [];
    for (const { name } of streamFaults) if ((await look(name)) === sound) unseen.push(name);
    expect(unseen.filter((name) => !UNSEEN.includes(name))).toEqual([]);
    expect(streamFaults.length).toBeGreaterThan(25);
  });

  it("frees the stream that a client leaves in the middle", async () => {
    const mock = await mockFor({ tls: true, ttftMs: 0, itlMs: 50, outputTokens: 10_000 });
    const session = await sessionTo(mock);
    const reply = over(session, STREAM);
    await expect.poll(() => mock.state().openStreams).toBe(1);
    session.destroy();
    await reply;
    await expect.poll(() => mock.state().streams).toEqual({ started: 1, completed: 0, left: 1 });
  });
});
