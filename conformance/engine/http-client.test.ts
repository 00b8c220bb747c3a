/** The client against small servers of this process. */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createNetServer, type Server as NetServer } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { generateCACertificate, getLocal } from "mockttp";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Exchange } from "../../formats/exchanges.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { BODY_CAPS, BodyReader } from "./body-reader.ts";
import { type ClientOptions, httpClient, type Outgoing } from "./http-client.ts";
import { unusableReason } from "./judge-clause.ts";
import { writtenForm } from "./written-exchange.ts";

const servers: NetServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function listening(server: NetServer): Promise<number> {
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listening(createServer(listener))}`;
}

const KEY = "canary-0123456789";
const CAP = BODY_CAPS[0]?.cap ?? 0;

async function send(
  target: string,
  outgoing: Partial<Outgoing> = {},
  options: Partial<ClientOptions> = {},
): Promise<Exchange> {
  const client = httpClient({ target, apiKey: KEY, timeoutMs: 2_000, ...options });
  const { signal } = new AbortController();
  try {
    return await client.send({ probe: "p", method: "GET", path: "/v1/x", requestId: "r-1", signal, ...outgoing });
  } finally {
    await client.close();
  }
}

test("each request names who sends it, as a firewall may ask for, and a header of the user's own comes before that", async () => {
  const target = await serve((request, response) => response.end(String(request.headers["user-agent"])));
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync("package.json", "utf8")));
  expect((await send(target)).answer?.body).toBe(`assay/${version}`);
  expect((await send(target, {}, { headers: { "user-agent": "team-a" } })).answer?.body).toBe("team-a");
});

test("the key is sent as a bearer token; judges see what came, and what is written is without it", async () => {
  const target = await serve((request, response) => {
    response.setHeader("x-echo", String(request.headers.authorization));
    response.end(JSON.stringify(request.headers));
  });
  const exchange = await send(target);
  expect(exchange.answer?.body).toContain(`Bearer ${KEY}`);
  const written = writtenForm({ apiKey: KEY }).exchange(exchange);
  expect(written.answer?.body).toContain("Bearer <redacted>");
  expect(written.answer?.headers["x-echo"]).toBe("Bearer <redacted>");
  expect(written.redacted).toBe(true);
  expect(JSON.stringify(written)).not.toContain("canary");
});

test("every header of a response is kept, those that name it among them", async () => {
  const target = await serve((_, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "X-Request-Id": "srv-7", Server: "gateway/2" });
    response.end("{}");
  });
  const { answer } = writtenForm({ apiKey: KEY }).exchange(await send(target));
  expect(answer?.headers).toMatchObject({
    ...{ "content-type": "application/json", "x-request-id": "srv-7", server: "gateway/2" },
  });
});

test("headers from the environment are sent and their values kept secret", async () => {
  const target = await serve((request, response) =>
    response.end(request.headers["x-team"] === "a-team-secret" ? "yes" : "no"),
  );
  const headers = { "x-team": "a-team-secret" };
  const exchange = await send(target, {}, { headers });
  expect(exchange.answer?.body).toBe("yes");
  const written = writtenForm({ headers }).exchange(exchange);
  expect(written.request.headers["x-team"]).toBe("<redacted>");
  expect(written.redacted).toBeUndefined();
});

test("a request can go without a key, and without Content-Type", async () => {
  const target = await serve(({ headers }, response) => response.end(JSON.stringify(headers)));
  const exchange = await send(target, { method: "POST", body: "{}", key: "none", contentType: "none" });
  expect(exchange.answer?.body).not.toMatch(/authorization|content-type/);
});

test("a wrong key is sent and recorded as such, and is not the real one", async () => {
  const target = await serve(({ headers }, response) => response.end(String(headers.authorization)));
  const exchange = await send(target, { key: "wrong" });
  expect(exchange.answer?.body).toBe("Bearer assay-not-a-valid-key");
  expect(writtenForm({ apiKey: KEY }).exchange(exchange).request).toMatchObject({
    key: "wrong",
    headers: { authorization: "Bearer assay-not-a-valid-key" },
  });
  expect((await send(target)).request).not.toHaveProperty("key");
});

test("a GET is bare: no body, no Content-Type", async () => {
  const target = await serve(({ headers }, response) => response.end(JSON.stringify(headers)));
  expect((await send(target)).answer?.body).not.toMatch(/content-type|content-length|transfer-encoding/);
});

test("redirects are recorded, not followed", async () => {
  const target = await serve((_, response) => response.writeHead(307, { location: "/elsewhere" }).end());
  expect((await send(target)).answer?.status).toBe(307);
});

test("no compression is asked for, and what comes compressed is decoded", async () => {
  const target = await serve(({ headers }, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync(String(headers["accept-encoding"])));
  });
  const { answer, failure } = await send(target);
  expect(answer).toMatchObject({ body: "identity", truncated: false, headers: { "content-encoding": "gzip" } });
  expect([answer, failure]).toEqual([expect.not.objectContaining({ base64: expect.anything() }), undefined]);
});

test("a compressed body that was cut is decoded as far as it came", async () => {
  const target = await serve((_, response) => {
    response.setHeader("content-encoding", "gzip");
    const bytes = gzipSync("the beginning");
    response.write(bytes.subarray(0, -8), () => setImmediate(() => response.destroy()));
  });
  expect(await send(target)).toMatchObject({ answer: { body: "the beginning" }, failure: { kind: "reset" } });
});

test("a compressed body is decoded no further than a body is read", async () => {
  const target = await serve((_, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync(Buffer.alloc(CAP + 1, "a")));
  });
  const { answer } = await send(target, {}, { timeoutMs: 20_000 });
  expect(answer).toMatchObject({ body: "", truncated: true });
  expect(unusableReason([await send(target)])).toMatchObject({
    why: expect.stringContaining("longer than what Assay reads"),
  });
});

test.each(["zstd", "gzip"])("a body that cannot be read as %s is no evidence", async (coding) => {
  const target = await serve((_, response) => {
    response.setHeader("content-encoding", coding);
    response.end("{}");
  });
  const exchange = await send(target);
  expect(exchange).toMatchObject({ answer: { body: "" }, failure: { kind: "coding" } });
  expect(unusableReason([exchange])).toMatchObject({
    kind: "inconclusive",
    why: expect.stringMatching(new RegExp(`^the response was not read: .*${coding}`)),
  });
});

test("a body that is not UTF-8 is kept as base64", async () => {
  const target = await serve((_, response) => response.end(Buffer.from([0xff, 0x00, 0x41])));
  expect((await send(target)).answer?.base64).toBe(Buffer.from([0xff, 0x00, 0x41]).toString("base64"));
});

test("a body past the cap is cut and marked", async () => {
  const target = await serve((_, response) => response.end(Buffer.alloc(CAP + 10, "a")));
  const { answer } = await send(target, {}, { timeoutMs: 20_000 });
  expect(answer).toMatchObject({ truncated: true });
  expect(answer?.chunks.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(CAP);
});

test("every chunk has its time of arrival", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { add } = BodyReader.prototype;
  const target = await serve((_, response) => {
    response.write("one");
    const taking = vi.spyOn(BodyReader.prototype, "add").mockImplementationOnce(function (this: BodyReader, ...chunk) {
      taking.mockRestore();
      vi.advanceTimersByTime(400);
      response.end("two");
      return add.apply(this, chunk);
    });
  });
  expect((await send(target)).answer).toMatchObject({
    body: "onetwo",
    headersMs: 0,
    chunks: [
      { atMs: 0, bytes: 3 },
      { atMs: 400, bytes: 3 },
    ],
    endMs: 400,
  });
});

test("silence ends at the timeout, and what had come until then is kept", async () => {
  const target = await serve((_, response) => void response.write("half"));
  // A busy machine may need longer until anything has come.
  for (const timeoutMs of [200, 2_000, 20_000]) {
    const { answer, failure } = await send(target, {}, { timeoutMs });
    expect(failure).toMatchObject({ kind: "timeout", message: expect.stringContaining(`${timeoutMs} ms`) });
    if (answer === undefined && timeoutMs < 20_000) continue;
    expect(answer?.body).toBe("half");
    break;
  }
});

test("a peer that never reads does not outlast the end of the request", async () => {
  const server = createNetServer({ pauseOnConnect: true }, (socket) => void socket.on("error", () => undefined));
  const target = `http://127.0.0.1:${await listening(server)}`;
  const body = "a".repeat(32 * 2 ** 20);
  const { failure } = await send(target, { method: "POST", body }, { timeoutMs: 100 });
  expect(failure?.kind).toBe("timeout");
});

test("failures are told apart", async () => {
  const gone = await serve((request) => void request.socket.destroy());
  expect((await send(gone)).failure?.kind).toBe("reset");
  const port = await listening(createServer());
  servers.splice(0).forEach((server) => void server.close());
  expect((await send(`http://127.0.0.1:${port}`)).failure?.kind).toBe("refused");
  expect((await send(gone, { signal: AbortSignal.abort() })).failure?.kind).toBe("deadline");
});

test("a certificate that is not trusted is refused, unless told otherwise", async () => {
  const { key, cert } = await generateCACertificate();
  const port = await listening(createTlsServer({ key, cert }, (_, response) => response.end("secret service")));
  const target = `https://127.0.0.1:${port}`;
  expect((await send(target)).failure?.kind).toBe("tls");
  expect((await send(target, {}, { insecure: true })).answer?.body).toBe("secret service");
});

test("a certificate of the CA file is trusted, and no other", async () => {
  const { key, cert } = await generateCACertificate();
  const other = await generateCACertificate();
  const folder = newFolder();
  writeFileSync(join(folder, "ours.pem"), cert);
  writeFileSync(join(folder, "other.pem"), other.cert);
  const server = getLocal({ https: { key, cert } });
  await server.start();
  onTestFinished(() => server.stop());
  await server.forAnyRequest().thenReply(200, "secret service");
  const target = `https://localhost:${server.port}`;
  expect((await send(target, {}, { caFile: join(folder, "ours.pem") })).answer?.body).toBe("secret service");
  expect((await send(target, {}, { caFile: join(folder, "other.pem") })).failure?.kind).toBe("tls");
});

test("a 100 Continue that nothing asked for, which the client does not read, is named", async () => {
  const server = createNetServer(
    (socket) => void socket.once("data", () => socket.write("HTTP/1.1 100 Continue\r\n\r\n")),
  );
  const { failure } = await send(`http://127.0.0.1:${await listening(server)}`);
  expect(failure).toMatchObject({
    kind: "other",
    message: expect.stringContaining("100 Continue without a request for it"),
  });
});
