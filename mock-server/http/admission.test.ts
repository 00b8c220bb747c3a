import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PATHS } from "../../contract/service.ts";
import { KEY_HEADER, mockFor, send } from "../../tests/support/targets/mock-client.ts";
import type { Mock } from "../mock.ts";

const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
const chat = { path: PATHS.chat, body };
const stream = { path: PATHS.chat, body: { ...body, stream: true } };

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
  it("runs as many chats as it has slots and no more, and lets the others wait in order", async () => {
    const capacity = { slots: 2, prefillMs: 0, stepMs: 1000, growthMs: 0, queue: 9 };
    const mock = await mockFor({ capacity, outputTokens: 1000 });
    const sockets: Socket[] = [];
    const started: string[] = [];
    for (const id of ["a", "b", "c", "d", "e", "f"]) {
      const socket = opened(mock, id);
      socket.once("data", () => void started.push(id));
      sockets.push(socket);
      const [running, waiting] = [Math.min(2, sockets.length), Math.max(0, sockets.length - 2)];
      await expect.poll(() => mock.state().capacity).toMatchObject({ running, waiting });
    }
    for (const [index, socket] of sockets.slice(0, 4).entries()) {
      await expect.poll(() => started).toHaveLength(index + 2);
      socket.destroy();
      await expect.poll(() => mock.state().capacity).toMatchObject({ running: 2, waiting: 3 - index });
    }
    await expect.poll(() => started).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("slows every stream as their number grows, and records when each chunk was due", async () => {
    const capacity = { slots: 4, prefillMs: 5, stepMs: 10, growthMs: 10 };
    const mock = await mockFor({ capacity, outputTokens: 10_000 });
    const running = (count: number) => expect.poll(() => mock.state().capacity?.running).toBe(count);
    /** Milliseconds between the first chunks of a stream that begins now, when it was due. */
    const gapBesides = async (others: number): Promise<number> => {
      const sockets = Array.from({ length: others }, () => opened(mock));
      await running(others);
      const socket = opened(mock, `with ${others}`);
      let text = "";
      socket.on("data", (part) => {
        text += part;
      });
      await expect.poll(() => text.match(/"delta":\{"content"/g)?.length ?? 0).toBeGreaterThanOrEqual(5);
      for (const each of [socket, ...sockets]) each.destroy();
      await running(0);
      const row = mock.groundTruth().find(({ id }) => id === `with ${others}`);
      expect(row?.planned_ms).toHaveLength(row?.actual_ms.length ?? Number.NaN);
      return ((row?.planned_ms[4] ?? Number.NaN) - (row?.planned_ms[0] ?? Number.NaN)) / 4;
    };
    expect(await gapBesides(0)).toBeCloseTo(10, 2);
    expect(await gapBesides(3)).toBeCloseTo(40, 2);
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

  it("hands the slot of a client that leaves to the next at once, without waiting for a timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const mock = await mockFor({ capacity: { slots: 1, prefillMs: 0, stepMs: 2000, queue: 4 }, outputTokens: 100 });
    let holder = opened(mock, "0");
    await expect.poll(() => mock.state().capacity?.running).toBe(1);
    for (let i = 1; i <= 6; i++) {
      const next = opened(mock, String(i));
      await expect.poll(() => mock.state().capacity?.waiting).toBe(1);
      const served = new Promise((resolve) => next.once("data", resolve));
      holder.destroy();
      await served;
      holder = next;
    }
    holder.destroy();
    await expect.poll(() => mock.groundTruth()).toHaveLength(7);
    // The due time of a chunk that was never written is unknown.
    for (const { planned_ms, actual_ms } of mock.groundTruth()) expect(planned_ms).toHaveLength(actual_ms.length);
    const times = mock.groundTruth().map(({ receivedMs, endMs, planned_ms: [firstMs = Number.NaN] }) => ({
      endedMs: receivedMs + endMs,
      servedMs: receivedMs + firstMs,
    }));
    // Rows are rounded to microseconds.
    for (const [i, { servedMs }] of times.slice(1).entries()) {
      expect(servedMs).toBeGreaterThan((times[i]?.endedMs ?? Number.NaN) - 0.01);
    }
  });

  it("keeps the slot of a client that left", async () => {
    const mock = await mockFor({ capacity: { slots: 1, stepMs: 1000, leftMs: 200 }, outputTokens: 100 });
    const holder = opened(mock);
    await expect.poll(() => mock.state().capacity?.running).toBe(1);
    holder.destroy();
    await expect.poll(() => mock.groundTruth()).toHaveLength(1);
    expect(mock.state().capacity?.running).toBe(1);
    await expect.poll(() => mock.state().capacity?.running).toBe(0);
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
    [{ capacity: { slots: 1 }, ttftMs: 5 }, "its prefill and step take the place"],
  ])("%j", async (options, message) => {
    await expect(mockFor(options)).rejects.toThrow(message);
  });
});
