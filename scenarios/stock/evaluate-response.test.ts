import { describe, expect, test } from "vitest";
import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import { readLoadSettings } from "../process/checked-settings.ts";
import { chatEndpoint, videoPollEndpoint, videoSubmitEndpoint } from "../process/endpoints.ts";
import { serviceFor, servicesOf } from "../service-access.ts";
import { evaluateResponse, type K6Response } from "./evaluate-response.ts";

const service = serviceFor(servicesOf(readLoadSettings({ ASSAY_TARGET: "http://host" }), { ASSAY_API_KEY: "k" }), 0);
const chat = chatEndpoint(service, "m", false);
const stream = chatEndpoint(service, "m", true);
const submit = videoSubmitEndpoint(service, "m");
const poll = videoPollEndpoint(service, "m");

const answer = (more: Partial<K6Response>): K6Response => ({
  status: 200,
  body: "",
  contentType: "application/json",
  errorCode: 0,
  error: "",
  begun: true,
  timeUp: false,
  over: false,
  ...more,
});
const failed = (errorCode: number, error: string, more: Partial<K6Response> = {}): K6Response =>
  answer({ status: 0, contentType: "", errorCode, error, begun: false, ...more });

describe("an answer that came whole", () => {
  test("is ok when it holds what the contract says, and is read", () => {
    const body = '{"id":"t","model":"m","status":"processing","created_at":"now"}';
    expect(evaluateResponse(submit, answer({ status: 202, body }))).toEqual({
      outcome: "ok",
      task: "t",
      task_state: "processing",
    });
    const processing = '{"id":"t","status":"processing","progress":40}';
    expect(evaluateResponse(poll, answer({ body: processing }))).toEqual({
      outcome: "ok",
      task_state: "processing",
      progress: 40,
    });
    const completed = '{"id":"t","status":"completed","video_url":"http://v","usage":{"total_cost":0.5}}';
    expect(evaluateResponse(poll, answer({ body: completed }))).toEqual({
      outcome: "ok",
      task_state: "completed",
      cost: 0.5,
    });
  });

  test.each([
    ["an error status", chat, { status: 503, body: "busy" }, "http_error", "The target returned status 503. busy"],
    ["status 429", stream, { status: 429 }, "rate_limited", "The target returned status 429."],
    ["a redirect", chat, { status: 307 }, "http_error", "The target returned status 307."],
    ["another success", stream, { status: 204 }, "http_error", "The target returned status 204."],
    ["no JSON", chat, { body: "<html>" }, "malformed", 'The response is not JSON; it starts with "<html>".'],
    ["a field that is missing", chat, { body: "{}" }, "contract", "id is missing; a string was expected."],
  ] as const)("%s", (_, asked, given, outcome, detail) => {
    expect(evaluateResponse(asked, answer(given))).toMatchObject({ outcome, detail });
  });

  test("with another success status is no contract's, but its task is still known", () => {
    const body = '{"id":"t","model":"m","status":"processing","created_at":"now"}';
    expect(evaluateResponse(submit, answer({ body }))).toMatchObject({ outcome: "contract", task: "t" });
  });
});

describe("the task of a submission", () => {
  const body = '{"id":12345678901234567891,"model":"m","status":"processing","created_at":"now"}';

  test("is known by an id that is a number, with all its digits", () => {
    expect(evaluateResponse(submit, answer({ status: 202, body }))).toMatchObject({
      outcome: "contract",
      task: "12345678901234567891",
      task_state: "processing",
    });
  });

  test.each([
    ["named by status 500", answer({ status: 500, body }), "12345678901234567891"],
    ["named by status 404, which created none", answer({ status: 404, body }), undefined],
    ["not named by a gateway", answer({ status: 504, body: "<html>" }), undefined],
    ["in a response that was cut after its JSON", failed(1000, "unexpected EOF", { body }), "12345678901234567891"],
    ["in a response that was cut within it", failed(1000, "unexpected EOF", { body: body.slice(0, -1) }), undefined],
    ["in no response", failed(1220, "read: connection reset by peer"), undefined],
  ])("is taken in spite of an error when it is %s", (_, response, task) => {
    const evaluation = evaluateResponse(submit, response);
    expect(evaluation.outcome).not.toBe("ok");
    expect(evaluation.task).toBe(task);
    expect(evaluation.task_state).toBeUndefined();
  });
});

describe("a response that is too large", () => {
  const token = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
  const long = "x".repeat(SIZE_LIMITS.event);
  test.each([
    [
      "an event",
      stream,
      "text/event-stream",
      `data: "${long}"\n\n${token}`,
      "An event is longer than 8388608 bytes.",
      0,
    ],
    [
      "events with content",
      stream,
      "text/event-stream",
      token.repeat(SIZE_LIMITS.chunks + 2),
      "The stream has more than 262144 events with content; the others are not counted.",
      SIZE_LIMITS.chunks,
    ],
    ["a line", stream, "application/jsonl", `"${long}"\n`, "A line is longer than 8388608 bytes.", undefined],
    [
      "a body",
      chat,
      "application/json",
      "x".repeat(SIZE_LIMITS.body + 1),
      "The body is longer than 268435456 bytes.",
      undefined,
    ],
  ] as const)("%s", (_, asked, contentType, body, detail, chunks) => {
    const evaluation = evaluateResponse(asked, answer({ contentType, body }));
    expect(evaluation).toMatchObject({ outcome: "too_large", detail });
    expect(evaluation.chunks).toBe(chunks);
  });

  test("is one that the first error says otherwise of", () => {
    const body = "x".repeat(SIZE_LIMITS.body + 1);
    expect(evaluateResponse(chat, answer({ status: 503, body })).outcome).toBe("http_error");
  });
});

describe("a request that failed", () => {
  test.each([
    [1212, "dial: connection refused", "refused"],
    [1211, "dial: i/o timeout", "refused"],
    [1050, "request timeout", "timeout"],
    [1220, "read: connection reset by peer", "reset"],
    [1220, "dial: connection reset by peer", "reset"],
    [1000, "write tcp 127.0.0.1:1->127.0.0.1:2: use of closed network connection", "truncated"],
    [1201, "write: broken pipe", "reset"],
    [1310, "x509: unknown authority", "tls"],
    [1000, "x509: certificate has expired or is not yet valid", "tls"],
    [1010, "remote error: tls: handshake failure", "tls"],
    [1000, "EOF", "truncated"],
    [1000, "unexpected EOF", "truncated"],
    [1000, 'malformed HTTP response "SSH-2.0"', "malformed"],
    [1632, "http2: stream error with http2 ErrCode INTERNAL_ERROR", "reset"],
    [1610, "http2: received GoAway with http2 ErrCode NO_ERROR", "truncated"],
    [1701, "error decompressing response body (gzip: invalid header)", "malformed"],
    [1000, "net/http: server response headers exceeded 10485760 bytes; aborted", "too_large"],
    [1000, "context canceled", "cancelled_by_us"],
  ])("with %i %s", (code, message, outcome) => {
    expect(evaluateResponse(chat, failed(code, message))).toEqual({
      outcome,
      detail: expect.stringContaining(message),
    });
  });

  test.each([
    [1213, "dial: unknown errno 24 error with msg `too many open files`", "open_files"],
    [1213, "dial: unknown errno 99 error with msg `cannot assign requested address`", "source_ports"],
    [1213, "dial: unknown errno 105 error with msg `no buffer space available`", "memory"],
    [1101, "lookup: no such host", "name_resolution"],
    [1000, "lookup models.example: no such host", "name_resolution"],
    [1100, "lookup models.example on 192.0.2.53:53: server misbehaving", "name_resolution"],
    [1100, "lookup models.example: dial udp 192.0.2.53:53: socket: too many open files", "open_files"],
    [1213, "dial: unknown errno 113 error with msg `no route to host`", "route"],
    [1213, "dial: unknown errno 101 error with msg `network is unreachable`", "route"],
    [1213, "dial: unknown errno 13 error with msg `permission denied`", "route"],
    [1202, "read: unknown errno `113` on linux with message `no route to host`", "route"],
  ])("on this machine, with %i %s, is not the target's", (code, message, fault) => {
    expect(evaluateResponse(chat, failed(code, message))).toEqual({
      outcome: "client_error",
      client_fault: fault,
      detail: expect.stringMatching(/^This machine /),
    });
  });

  test("to connect before its time was up has run out of time", () => {
    expect(evaluateResponse(chat, failed(1211, "dial: i/o timeout", { timeUp: true }))).toMatchObject({
      outcome: "timeout",
    });
  });

  test("when the run was over was cut off by it", () => {
    const cut = failed(1050, "request timeout", { over: true });
    expect(evaluateResponse(chat, cut)).toMatchObject({ outcome: "cancelled_by_us" });
    expect(evaluateResponse(chat, { ...cut, timeUp: true })).toMatchObject({ outcome: "timeout" });
  });

  test("within a stream keeps what the stream showed before", () => {
    const body = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
    const cut = failed(1000, "unexpected EOF", { begun: true, body });
    expect(evaluateResponse(stream, cut)).toMatchObject({ outcome: "truncated", chunks: 1 });
    const frame = { ...cut, body: `${body}data: {"error":{"message":"no"}}\n\n` };
    expect(evaluateResponse(stream, frame)).toMatchObject({ outcome: "error_frame", chunks: 1 });
  });
});
