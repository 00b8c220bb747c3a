import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
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
  it("calls in the order of the due times, never early", async () => {
    const scheduler = started();
    const start = performance.now();
    const calls: { due: number; at: number }[] = [];
    await new Promise<void>((resolve) => {
      for (const due of [30, 5, 18, 5.5, 0]) {
        scheduler.at(start + due, (now) => {
          calls.push({ due, at: now - start });
          if (calls.length === 5) resolve();
          return undefined;
        });
      }
    });
    expect(calls.map(({ due }) => due)).toEqual([0, 5, 5.5, 18, 30]);
    expect(calls.every(({ due, at }) => at >= due)).toBe(true);
  });

  it("calls a step again at each absolute time that it returns", async () => {
    const scheduler = started();
    const start = performance.now();
    const seen: number[] = [];
    await new Promise<void>((resolve) => {
      scheduler.at(start, () => {
        seen.push(seen.length);
        if (seen.length === 4) resolve();
        return seen.length < 4 ? start + seen.length : undefined;
      });
    });
    expect(seen).toEqual([0, 1, 2, 3]);
  });

  it("does not call what was cancelled, even by its own step", async () => {
    const scheduler = started();
    const now = performance.now();
    let called = 0;
    const cancel = scheduler.at(now + 1, () => {
      called += 1;
      cancel();
      return now;
    });
    scheduler.at(now, () => {
      called += 10;
      return undefined;
    })();
    await new Promise<void>((resolve) => {
      scheduler.at(now + 5, () => {
        resolve();
        return undefined;
      });
    });
    expect(called).toBe(1);
  });
});
