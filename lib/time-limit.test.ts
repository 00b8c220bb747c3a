import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { timeLimit } from "./time-limit.ts";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** The reasons of signals that nothing holds but their listeners. */
function reasonsOf(signals: readonly (() => AbortSignal)[]): unknown[] {
  const reasons: unknown[] = [];
  for (const make of signals) {
    const signal = make();
    signal.addEventListener("abort", () => reasons.push(signal.reason), { once: true });
  }
  return reasons;
}

test("a limit holds although garbage is collected before its end", async () => {
  const outside = new AbortController();
  const reasons = reasonsOf(Array.from({ length: 50 }, () => () => timeLimit(300, outside.signal).signal));
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (typeof collect === "function") collect();
  }
  await expect.poll(() => reasons).toHaveLength(50);
  expect(reasons[0]).toMatchObject({ name: "TimeoutError" });
});

test("another signal ends it before, and so does nothing after it was cleared", async () => {
  const outside = new AbortController();
  const [ended, cleared] = [timeLimit(60_000, outside.signal), timeLimit(1)];
  cleared.clear();
  outside.abort("left");
  expect([ended.signal.aborted, ended.signal.reason]).toEqual([true, "left"]);
  ended.clear();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(cleared.signal.aborted).toBe(false);
});
