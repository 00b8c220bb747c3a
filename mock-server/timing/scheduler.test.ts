import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { DueHeap } from "./due-heap.ts";
import { Scheduler } from "./scheduler.ts";

function started(): Scheduler {
  const scheduler = new Scheduler();
  onTestFinished(() => scheduler.stop());
  return scheduler;
}

it("a heap returns its entries earliest first", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (times) => {
      const heap = new DueHeap<{ dueMs: number }>();
      for (const dueMs of times) heap.push({ dueMs });
      const out = Array.from(times, () => heap.pop()?.dueMs);
      expect(out).toEqual(times.toSorted((a, b) => a - b));
      expect(heap.pop()).toBeUndefined();
    }),
  );
});

describe("the scheduler", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => void vi.useRealTimers();
  });

  it("calls in the order of the due times, within a millisecond of them and never early", () => {
    const scheduler = started();
    const calls: (readonly [due: number, at: number])[] = [];
    for (const due of [30, 5, 18, 5.5, 0]) {
      scheduler.at(due, (now) => {
        calls.push([due, now]);
        return undefined;
      });
    }
    vi.runAllTimers();
    // Timers have whole milliseconds, and at least one.
    expect(calls).toEqual([
      [0, 1],
      [5, 5],
      [5.5, 6],
      [18, 18],
      [30, 30],
    ]);
  });

  it("calls a step again at each absolute time that it returns", () => {
    const scheduler = started();
    const seen: number[] = [];
    scheduler.at(10, (now) => {
      seen.push(now);
      return seen.length < 4 ? 10 + 5 * seen.length : undefined;
    });
    vi.runAllTimers();
    expect(seen).toEqual([10, 15, 20, 25]);
  });

  it("does not call what was cancelled, even by its own step", () => {
    const scheduler = started();
    let called = 0;
    const cancel = scheduler.at(1, () => {
      called += 1;
      cancel();
      return 0;
    });
    scheduler.at(0, () => {
      called += 10;
      return undefined;
    })();
    vi.advanceTimersByTime(10);
    expect(called).toBe(1);
  });
});
