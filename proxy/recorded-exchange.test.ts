import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { MOST_BODY, recordedExchange, type SeenExchange } from "./recorded-exchange.ts";

const seen = (more: Partial<SeenExchange> = {}, coding?: string): SeenExchange => ({
  request: {
    method: "POST",
    url: "http://service.example/v1/chat/completions",
    headers: ["Host", "a", "X-Two", "1", "x-two", "2"],
    startedMs: Date.UTC(2026, 0, 1) + 0.25,
  },
  response: {
    status: 200,
    headers: ["Content-Type", "application/json", ...(coding ? ["Content-Encoding", coding] : [])],
    headersMs: 1,
    chunks: [{ atMs: 2, bytes: 2 }],
  },
  endMs: 3,
  truncated: { request: false, response: false },
  ...more,
});
const record = (given: SeenExchange, response: Buffer = Buffer.from("{}")) =>
  recordedExchange(7, given, { request: Buffer.from('{"a":1}'), response });

test("an exchange with its times, its headers in lower case and its bodies", () => {
  expect(record(seen())).toEqual({
    id: 7,
    probe: "traffic",
    request: {
      method: "POST",
      url: "http://service.example/v1/chat/completions",
      headers: { host: "a", "x-two": "1, 2" },
      body: '{"a":1}',
    },
    answer: {
      status: 200,
      headers: { "content-type": "application/json" },
      body: "{}",
      truncated: false,
      chunks: [{ atMs: 2, bytes: 2 }],
      headersMs: 1,
      endMs: 3,
    },
    startedAt: "2026-01-01T00:00:00.000250Z",
  });
});

describe("codings", () => {
  const text = Buffer.from('{"id":"c"}');
  test.each([
    ["gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
    ["identity", text],
  ])("%s is undone", (coding, bytes) => expect(record(seen({}, coding), bytes).answer?.body).toBe('{"id":"c"}'));

  test.each([
    ["zstd", text],
    ["gzip", text],
  ])("what cannot be read as %s proves nothing", (coding, bytes) => {
    const { answer, failure } = record(seen({}, coding), bytes);
    expect(answer?.body).toBe("");
    expect(failure?.kind).toBe("coding");
  });

  test("what would be longer than what is kept is truncated", () => {
    const { answer, failure } = record(seen({}, "gzip"), gzipSync(Buffer.alloc(MOST_BODY + 1)));
    expect(answer).toMatchObject({ body: "", truncated: true });
    expect(failure).toBeUndefined();
  });
});

describe("failures", () => {
  test.each([
    ["client", "", "client"],
    ["target", "ECONNRESET", "reset"],
    ["target", "ECONNREFUSED", "refused"],
    ["target", "CERT_HAS_EXPIRED", "tls"],
    ["target", "", "other"],
  ] as const)("by the %s, %s: %s", (by, code, kind) => {
    expect(record(seen({ failure: { by, code, message: "m" } })).failure).toEqual({ kind, message: "m" });
  });

  test("a body of which a part is missing is marked", () => {
    expect(record(seen({ truncated: { request: true, response: false } })).answer?.truncated).toBe(true);
  });
});
