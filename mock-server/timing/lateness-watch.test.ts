import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mockFor, send } from "../../tests/support/targets/mock-client.ts";
import { WATCH_MS, watchLateness } from "./lateness-watch.ts";

const late = (p99Ms: number, count = 1000) => ({ count, p50Ms: 0.5, p99Ms, maxMs: p99Ms });

describe("a mock that is late", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("warns once, and again when it was on time in between", () => {
    const said: string[] = [];
    const seen = [late(4), late(7.25), late(9), late(2), late(6), late(50, 99)];
    const stop = watchLateness(
      () => seen.shift() ?? late(0),
      (line) => said.push(line),
    );
    const lines = [...seen].map(() => {
      vi.advanceTimersByTime(WATCH_MS);
      return said.length;
    });
    stop();
    vi.advanceTimersByTime(10 * WATCH_MS);
    expect(lines).toEqual([0, 1, 1, 1, 2, 2]);
    expect(said[0]).toBe(
      "Warning: the mock itself is the limit: in the last 5 s 1% of its 1000 chunks were written 7.3 ms late or more " +
        "(limit 5 ms). Lower the load, or run the mock on a separate core.",
    );
  });
});

it("the recent lateness starts again at each call; that of the state does not", async () => {
  const mock = await mockFor({ outputTokens: 7 });
  await send(mock, {
    path: "/v1/chat/completions",
    body: { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] },
  });
  expect([mock.recentLateness().count, mock.recentLateness().count, mock.state().lateness.count]).toEqual([7, 0, 7]);
});
