import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Batch, type BatchEntry } from "./batch.ts";
import { type Capacity, saturationPerS, stepAt } from "./capacity.ts";

interface Chat {
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** Runs chats that all wait from the start, in no real time; gives when each ended. */
function simulate(capacity: Capacity, chats: readonly Chat[]): number[] {
  const batch = new Batch({ ...capacity, queue: chats.length });
  const lengthOf = ({ promptTokens, outputTokens }: Chat) =>
    capacity.prefillMs * promptTokens + (outputTokens - 1) * stepAt(capacity, 1);
  let open = chats.map((chat) => {
    const entry = batch.enter(0, capacity.prefillMs * chat.promptTokens);
    if (entry === undefined) throw new Error("the queue is full");
    return { entry, lengthMs: lengthOf(chat) };
  });
  const ends: number[] = [];
  const endOf = ({ entry, lengthMs }: { entry: BatchEntry; lengthMs: number }) => batch.dueMs(entry, lengthMs);
  while (open.length > 0) {
    const first = open.reduce((a, b) => (endOf(b) < endOf(a) ? b : a));
    const nowMs = endOf(first);
    batch.leave(first.entry, nowMs);
    ends.push(nowMs);
    open = open.filter((other) => other !== first);
  }
  return ends;
}

const capacity: Capacity = { slots: 4, prefillMs: 0.5, stepMs: 20, growthMs: 3, queue: 0, busyStatus: 429, leftMs: 0 };

describe("the closed form of the saturation rate", () => {
  it("agrees with a simulation with a full queue, for any capacity", () => {
    const capacities = fc.record({
      slots: fc.integer({ min: 1, max: 12 }),
      prefillMs: fc.double({ min: 0, max: 2, noNaN: true }),
      stepMs: fc.double({ min: 1, max: 50, noNaN: true }),
      growthMs: fc.double({ min: 0, max: 5, noNaN: true }),
      queue: fc.constant(0),
      busyStatus: fc.constant(429),
      leftMs: fc.constant(0),
    });
    fc.assert(
      fc.property(capacities, fc.integer({ min: 2, max: 40 }), (some, mean) => {
        // Chats of varied length around the mean, the same mix all along.
        const chats = Array.from({ length: some.slots * 60 }, (_, i) => ({
          promptTokens: 20 + (i % 3) * 20,
          outputTokens: mean + ((i % 5) - 2) * Math.floor(mean / 4),
        }));
        const ends = simulate(some, chats);
        // The batch thins out at the end: only what ends while all slots are taken counts.
        const full = ends.slice(0, ends.length - some.slots);
        const rate = (1000 * (full.length - some.slots)) / ((full.at(-1) ?? 0) - (full[some.slots - 1] ?? 0));
        expect(rate / saturationPerS(some, 40, mean)).toBeGreaterThan(0.95);
        expect(rate / saturationPerS(some, 40, mean)).toBeLessThan(1.05);
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it("is exact for equal chats", () => {
    const ends = simulate(
      capacity,
      Array.from({ length: 40 }, () => ({ promptTokens: 10, outputTokens: 11 })),
    );
    // 4 slots: a step of 29 ms, and 5 ms of prefill: 295 ms a round.
    expect(ends.filter((_, i) => i % 4 === 3).map(Math.round)).toEqual(
      Array.from({ length: 10 }, (_, i) => 295 * (i + 1)),
    );
    expect(saturationPerS(capacity, 10, 11)).toBeCloseTo(4000 / 295, 9);
  });
});

describe("the batch", () => {
  it("slows running chats when one starts, and speeds them up when one ends", () => {
    const batch = new Batch(capacity);
    const a = batch.enter(0, 0);
    if (a === undefined) throw new Error("no seat");
    expect(batch.dueMs(a, 20)).toBe(20);
    const b = batch.enter(10, 0);
    expect(batch.dueMs(a, 20)).toBeCloseTo(10 + 10 * (23 / 20), 9);
    if (b !== undefined) batch.leave(b, 15);
    expect(batch.dueMs(a, 20)).toBeCloseTo(15 + (10 - 5 * (20 / 23)), 9);
  });

  it("gives a slot to the first waiting chat, refuses when the queue is full, and removes a chat that leaves it", () => {
    const batch = new Batch({ ...capacity, slots: 1, queue: 2 });
    const [a, b, c] = [batch.enter(0, 0), batch.enter(0, 0), batch.enter(0, 0)];
    expect(batch.enter(0, 0)).toBeUndefined();
    expect([batch.running, batch.waiting]).toEqual([1, 2]);
    if (a === undefined || b === undefined || c === undefined) throw new Error("no seat");
    batch.leave(b, 5);
    let moved = false;
    c.onMove = () => {
      moved = true;
    };
    batch.leave(a, 7);
    expect([moved, c.startedMs, batch.running, batch.waiting]).toEqual([true, 7, 1, 0]);
    batch.leave(a, 8);
    expect([batch.running, batch.waiting]).toEqual([1, 0]);
  });
});
