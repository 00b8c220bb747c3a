import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draw, isChosen, pickIndex, pickWeighted, shuffledIndex } from "./random.ts";

const arrivals = Array.from({ length: 10_000 }, (_, index) => index);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("a seeded draw", () => {
  it("is the same for the same seed, arrival and purpose, and lies in [0, 1)", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.string(), (seed, index, purpose) => {
        const drawn = draw(seed, index, purpose);
        expect(drawn).toBe(draw(seed, index, purpose));
        expect(drawn >= 0 && drawn < 1).toBe(true);
      }),
    );
  });

  it("never changes between releases, so that a seed keeps its meaning", () => {
    expect([draw(1, 0, "prompt 0"), draw(1, 1, "prompt 0"), draw(7, 1, "cancel")]).toMatchInlineSnapshot(`
      [
        0.39928874443285167,
        0.8100770825985819,
        0.03897009906359017,
      ]
    `);
  });

  it.each([1, 2, 99, Number.MAX_SAFE_INTEGER])("is spread evenly over arrivals with seed %i", (seed) => {
    const sorted = arrivals.map((index) => draw(seed, index, "prompt 0")).sort((a, b) => a - b);
    const distance = Math.max(...sorted.map((value, at) => Math.abs(value - (at + 0.5) / sorted.length)));
    expect(distance).toBeLessThan(1.628 / Math.sqrt(sorted.length));
  });

  it("does not tie one purpose to another, one arrival to the next, or one seed to the next", () => {
    const centred = (seed: number, purpose: string, shift = 0) =>
      arrivals.map((index) => draw(seed, index + shift, purpose) - 0.5);
    const base = centred(1, "prompt 0");
    for (const other of [
      centred(1, "cancel"),
      centred(1, "prompt 1"),
      centred(1, "prompt 0", 1),
      centred(2, "prompt 0"),
    ]) {
      const correlation = mean(base.map((value, at) => value * (other[at] ?? 0))) * 12;
      expect(Math.abs(correlation)).toBeLessThan(0.04);
    }
  });
});

describe("choices", () => {
  it("choose a share of the arrivals: none, all, or about that many", () => {
    const chosen = (share: number) => arrivals.filter((index) => isChosen(share, 5, index, "cancel")).length;
    expect([chosen(0), chosen(1)]).toEqual([0, arrivals.length]);
    expect(Math.abs(chosen(0.2) - 2_000)).toBeLessThan(160);
  });

  it("pick every position, and only positions that exist", () => {
    expect(new Set(arrivals.map((index) => pickIndex(7, 3, index, "prompt 0")))).toEqual(
      new Set([0, 1, 2, 3, 4, 5, 6]),
    );
  });

  it("shuffle: every position once in each round, in another order, whatever their number", () => {
    for (const length of [1, 2, 3, 4, 5, 16, 17, 276, 1_000, 4_097]) {
      const roundOf = (round: number, seed = 1): number[] =>
        Array.from({ length }, (_, place) => shuffledIndex(length, seed, round * length + place, "prompt"));
      const positions = Array.from({ length }, (_, place) => place);
      const [first, second] = [roundOf(0), roundOf(1)];
      for (const round of [first, second]) expect(round.toSorted((a, b) => a - b)).toEqual(positions);
      if (length < 16) continue;
      expect(second).not.toEqual(first);
      expect(roundOf(0, 2)).not.toEqual(first);
      const kept = first.filter((position, place) => position === place).length;
      expect(kept).toBeLessThan(12);
    }
  });

  it("shuffle so that neighbours are not neighbours", () => {
    const places = Array.from({ length: 1_000 }, (_, place) => shuffledIndex(1_000, 7, place, "prompt"));
    const steps = places.slice(1).map((position, place) => Math.abs(position - (places[place] ?? 0)));
    // Of two random positions the mean distance is a third of the length.
    expect(Math.abs(mean(steps) - 333)).toBeLessThan(40);
  });

  it("pick by weight", () => {
    const entries = [
      { name: "a", weight: 3 },
      { name: "b", weight: 1 },
    ];
    expect([0, 0.7499, 0.75, 0.9999].map((drawn) => pickWeighted(entries, drawn).name)).toEqual(["a", "a", "b", "b"]);
    expect(() => pickWeighted([], 0)).toThrow(RangeError);
  });
});
