import fc from "fast-check";
import { expect, test } from "vitest";
import { isInRangeSql, rangesOf } from "./ranges.ts";

const of = (...counts: number[]) => counts.map((count, at) => ({ at, count }));

test("ranges hold as many values as they may, and an interval is never divided", () => {
  expect(rangesOf([], 10)).toEqual([[-Infinity, Infinity]]);
  expect(rangesOf(of(4, 6, 1), 10)).toEqual([
    [-Infinity, 2],
    [2, Infinity],
  ]);
  expect(rangesOf(of(30, 1), 10)).toEqual([
    [-Infinity, 1],
    [1, Infinity],
  ]);
});

test("every interval is in one range, and each range but those of one interval holds no more than it may", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (counts, most) => {
      const ranges = rangesOf(of(...counts), most);
      const inside = ([from, to]: readonly [number, number]) => counts.slice(Math.max(0, from), to);
      expect(ranges.flatMap(inside)).toEqual(counts);
      for (const range of ranges) {
        const own = inside(range);
        if (own.length > 1) expect(own.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(most);
      }
    }),
  );
});

test("a range without a bound has no condition for it", () => {
  const intervals = { startUs: 5_000, widthUs: 1_000 };
  expect(isInRangeSql(intervals, "sent_us", [-Infinity, Infinity])).toEqual([]);
  expect(isInRangeSql(intervals, "sent_us", [-2, 3])).toEqual(["sent_us >= 3000", "sent_us < 8000"]);
});
