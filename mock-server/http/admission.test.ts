import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATHS } from "../../contract/service.ts";
import { readInstant } from "../../settings/instants.ts";
import { KEY_HEADER, mockFor, send } from "../../tests/support/mock-client.ts";
import type { Mock } from "../mock.ts";

const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
const chat = { path: PATHS.chat, body };
const stream = { path: PATHS.chat, body: { ...body, stream: true } };

/** A recorded time with its microseconds, which Date drops. */

/** Opens a stream on a new connection. */
function opened(mock: Mock, id = "open"): Socket {
  const text = JSON.stringify(stream.body);
  const socket = connect(mock.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(
    `POST ${PATHS.chat} HTTP/1.1\r\nHost: m\r\nX-Request-Id: ${id}\r\nAuthorization: ${KEY_HEADER.authorization}\r\n` +
      `Content-Length: ${text.length}\r\n\r\n${text}`,
  );
  return socket;
}

describe("a mock with slots", () => {
  it("runs no more chats than it has slots, and lets the others wait in order", async () => {
    const capacity = { slots: 2, prefillMs: 0, stepMs: 10, growthMs: 0, queue: 9 };
    const mock = await mockFor({ capacity, outputTokens: 6 });
    await Promise.all(Array.from({ length: 6 }, () => send(mock, stream)));
    const spans = mock.groundTruth().map(({ receivedMs, planned_ms: at }) => ({
      from: receivedMs + (at[0] ?? 0),
      to: receivedMs + (at.at(-1) ?? 0),
    }));
    // Rows are rounded to microseconds.
    const atOnce = spans.map(({ from }) => spans.filter((s) => s.from <= from && from < s.to - 0.01).length);
    expect(Math.max(...atOnce)).toBe(2);
    expect(Math.max(...spans.map(({ to }) => to)) - Math.min(...spans.map(({ from }) => from))).toBeGreaterThan(149);
  });

  it("slows every stream as their number grows, and records when each chunk was due", async () => {
    const mock = await mockFor({ capacity: { slots: 4, prefillMs: 5, stepMs: 10, growthMs: 10 }, outputTokens: 5 });
    await send(mock, stream);
    await Promise.all(Array.from({ length: 4 }, () => send(mock, stream)));
    const gaps = mock.groundTruth().map(({ planned_ms: at }) => ((at.at(-1) ?? 0) - (at[0] ?? 0)) / 4);
    expect(gaps[0]).toBeCloseTo(10, 1);
    for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThan(25);
    expect(mock.groundTruth().every(({ planned_ms, actual_ms }) => planned_ms.length === actual_ms.length)).toBe(true);
  });

  it.each([429, 503])(
    "refuses with %i and Retry-After when the queue is full, and only chats that are valid",
    async (busyStatus) => {
      const mock = await mockFor({
        capacity: { slots: 1, prefillMs: 0, stepMs: 1000, queue: 1, busyStatus },
        outputTokens: 1000,
      });
      opened(mock);
      await expect.poll(() => mock.state().capacity).toMatchObject({ running: 1, waiting: 0 });
      opened(mock);
      await expect.poll(() => mock.state().capacity).toMatchObject({ running: 1, waiting: 1 });
      const { status, headers, json } = await send(mock, chat);
      expect([status, json]).toMatchObject([busyStatus, { error: { code: "overloaded" } }]);
      // A thousand seconds, less the time since the first began.
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(900);
      expect(Number(headers.get("retry-after"))).toBeLessThan(1000);
      expect((await send(mock, { path: PATHS.chat, body: {} })).status).toBe(400);
      expect((await send(mock, { path: PATHS.embeddings, body: { model: "m", input: "a" } })).status).toBe(200);
    },
  );

  it("frees the slot of a client that leaves, and serves the next within 10 ms", async () => {
    const mock = await mockFor({ capacity: { slots: 1, prefillMs: 0, stepMs: 2000, queue: 4 }, outputTokens: 100 });
    const leftMs: number[] = [];
    let holder = opened(mock, "0");
    await expect.poll(() => mock.state().capacity?.running).toBe(1);
    for (let i = 1; i <= 6; i++) {
      const next = opened(mock, String(i));
      await expect.poll(() => mock.state().capacity?.waiting).toBe(1);
      const served = new Promise((resolve) => next.once("data", resolve));
      leftMs.push(performance.now());
      holder.destroy();
      await served;
      holder = next;
    }
    holder.destroy();
    await expect.poll(() => mock.groundTruth()).toHaveLength(7);
    const times = mock.groundTruth().map(({ startedAt, endMs, planned_ms, actual_ms }) => {
      // The due time of a chunk that was never written is unknown.
      expect(planned_ms).toHaveLength(actual_ms.length);
      const arrivedMs = readInstant(startedAt) - performance.timeOrigin;
      return { endedMs: arrivedMs + endMs, firstMs: arrivedMs + (actual_ms[0] ?? Number.NaN) };
    });
    const freed = leftMs.map((left, i) => (times[i]?.endedMs ?? Number.NaN) - left);
    const handedOn = leftMs.map((left, i) => (times[i + 1]?.firstMs ?? Number.NaN) - left);
    for (const [i, at] of handedOn.entries()) expect(at).toBeGreaterThan((freed[i] ?? Number.NaN) - 0.01);
    // A busy machine may delay some of them: the best shows what the mock does.
    expect(Math.min(...freed)).toBeGreaterThan(-0.1);
    expect(Math.min(...freed)).toBeLessThan(10);
    expect(Math.min(...handedOn)).toBeLessThan(10);
  });

  it("removes a client that leaves the queue", async () => {
    const mock = await mockFor({ capacity: { slots: 1, stepMs: 1000, queue: 4 }, outputTokens: 100 });
    opened(mock);
    await expect.poll(() => mock.state().capacity?.running).toBe(1);
    const waiting = opened(mock);
    await expect.poll(() => mock.state().capacity?.waiting).toBe(1);
    waiting.destroy();
    await expect.poll(() => mock.state().capacity).toEqual({ slots: 1, running: 1, waiting: 0 });
  });

  it("reports its saturation rate", async () => {
    const mock = await mockFor({ capacity: { slots: 8 }, outputTokens: 150 });
    expect(mock.saturation).toBe(
      "capacity: 8 slots saturate at 1.979 chats/s with prompts of 100 tokens and replies of 150: 8 / (100 · 0.2 ms + 149 · 27 ms)",
    );
  });
});

describe("an invalid capacity is a usage error", () => {
  it.each([
    [{ capacity: { stepMs: 5 } }, "Give --slots too"],
    [{ capacity: { slots: 1, busyStatus: 500 } }, "Choose 429 or 503"],
    [{ capacity: { slots: 1, stepMs: 0 } }, "a step of 0"],
    [{ capacity: { slots: 1 }, ttftMs: 5 }, "--prefill and --step take the place"],
  ])("%j", async (options, message) => {
    await expect(mockFor(options)).rejects.toThrow(message);
  });
});
