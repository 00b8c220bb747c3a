import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../../../tests/support/results/random-numbers.ts";
import { selectRanks } from "./select-ranks.ts";

const random = randomFrom(53).uniform;
const COUNT = 4_000;
const SERIES: Readonly<Record<string, (index: number) => number>> = {
  random,
  "of few values": () => Math.floor(4 * random()),
  equal: () => 3,
  ascending: (index) => index,
  descending: (index) => -index,
  "with one far off": (index) => (index === 77 ? 1e9 : random()),
};

test.each(Object.entries(SERIES))("the values of some ranks are those of the sorted ones: %s", (_, make) => {
  const values = Float64Array.from({ length: COUNT }, (__, index) => make(index));
  const sorted = values.toSorted();
  fc.assert(
    fc.property(fc.array(fc.nat(COUNT + 1), { maxLength: 40 }), fc.constantFrom(64, 1), (ranks, rounds) => {
      const own = values.slice();
      selectRanks(own, ranks, rounds);
      expect(ranks.map((rank) => own[rank - 1])).toEqual(
        ranks.map((rank) => (rank === 0 ? undefined : sorted[rank - 1])),
      );
      expect(own.sort().every((value, index) => value === sorted[index])).toBe(true);
    }),
    { seed: 1, numRuns: 20 },
  );
});
