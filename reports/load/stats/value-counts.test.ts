import fc from "fast-check";
import { expect, test } from "vitest";
import { ValueCounts } from "./value-counts.ts";

test("each number is counted as often as it occurs, small or large", () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(40), fc.nat(200_000), fc.nat())), fc.boolean(), (numbers, isSmall) => {
      const counts = new ValueCounts(isSmall);
      for (const each of numbers) counts.add(each);
      const expected = new Map<number, number>();
      for (const each of numbers) expected.set(each, (expected.get(each) ?? 0) + 1);
      expect(new Map([...counts.entries()])).toEqual(expected);
      expect([...counts.entries()]).toHaveLength(expected.size);
    }),
  ));
