/** A time is as exact as the readings of the clock at its ends. */

import { expect, describe as group, test } from "vitest";
import { z } from "zod";
import type { RequestRecord } from "../../../formats/records.ts";
import { chatRecord, instant } from "../../../tests/support/results/load-run.ts";
import { withRead } from "../../../tests/support/results/summarize-shards.ts";
import { clockErrorOf, LATENESS_FACTOR, SLICE_MS } from "./clock-error.ts";

const PHASES = { warmup: 0, measure: 0 };

/** Lines of a second each, with the latest wake-up of each in milliseconds. */
const linesOf = (...lateMs: readonly number[]) =>
  lateMs.map((ms, second) => ({ t: second + 1, wakes_us: [40, ms * 1_000], offered: PHASES, started: PHASES }));

const late = (ms: number): number => ms * LATENESS_FACTOR;

test("a reading is as late as the wake-ups of its second were, and at its edges as those of the next", () => {
  const { slices, largest } = clockErrorOf(linesOf(2, 8, 4), 0);
  const at = (ms: number) => slices[Math.min(slices.length - 1, Math.floor(ms / SLICE_MS))];
  expect([500, 980, 1_500, 1_020, 2_500, 9_000].map(at)).toEqual([2, 8, 8, 8, 4, 4].map(late));
  expect(largest).toBe(late(8));
});

test("of a load generator that measured no wake-ups nothing is known", () => {
  expect(clockErrorOf([], 0)).toMatchObject({ largest: 0, interruptedMs: 0 });
});

/** The least that times to first token may be, of requests sent so many milliseconds after the start, and measured as so long. */
const leastOf = (lateMs: readonly number[], ...times: readonly (readonly [sentMs: number, ttft: number])[]) =>
  withRead(
    times.map(([sentMs, ttft], index): RequestRecord => {
      const at = instant(sentMs);
      return { ...chatRecord(index, sentMs, "measure"), scheduled: at, sent: at, ttft, e2e: ttft, gaps_us: [] };
    }),
    async ({ database }) =>
      (await database.all("SELECT low_ttft AS low FROM calls ORDER BY n", z.object({ low: z.number() }))).map(
        ({ low }) => low,
      ),
    [],
    linesOf(...lateMs).map((line) => JSON.stringify(line)),
  );

group("a time from one instant to another", () => {
  test("can only be too long, by the lateness at both ends", async () => {
    expect(await leastOf([2, 8, 4], [500, 1_000], [500, 1])).toEqual([1_000 - late(2) - late(8), 0]);
  });

  test("in which the process did not run can be all its own; right after that too, for what waited comes at once", async () => {
    const [within, before, after, later = 0] = await leastOf(
      [2, 2, 2, 600, 2, 2],
      [2_500, 1_000],
      [500, 1_000],
      [4_550, 20],
      [4_750, 20],
    );
    expect([within, before, after]).toEqual([0, 1_000 - late(2) - late(2), 0]);
    expect(later).toBeGreaterThan(0);
  });
});

test("a gap can be too long by the lateness at its end, and too short by that at its begin", async () => {
  const gaps_us = [400_000, 600_000, 1_000];
  const record: RequestRecord = { ...chatRecord(0, 0, "measure"), sent: instant(0), ttft: 500, gaps_us };
  const ranges = await withRead(
    [record],
    ({ database }) =>
      database.all(
        "SELECT shape, us FROM gap_counts WHERE shape <> 'pool' ORDER BY shape, us",
        z.object({ shape: z.string(), us: z.number() }),
      ),
    [],
    linesOf(2, 8).map((line) => JSON.stringify(line)),
  );
  const of = (name: string) => ranges.filter(({ shape }) => shape === name).map(({ us }) => us);
  expect(of("least")).toEqual([0, 397_000, 588_000]);
  expect(of("most")).toEqual([13_000, 403_000, 603_000]);
});
