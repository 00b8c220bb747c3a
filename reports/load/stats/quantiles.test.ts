import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import { QUANTILES } from "../../../load/objectives/metrics.ts";
import { Counted } from "./counted.ts";
import { curve, nearestRank, quantile } from "./quantiles.ts";

fc.configureGlobal({ seed: 1 });

/** The definition itself, in exact arithmetic: the smallest value that at least q of the samples do not exceed. */
function naive(values: readonly number[], perMille: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.find((_, index) => BigInt(index + 1) * 1_000n >= BigInt(perMille) * BigInt(sorted.length));
}

const perMille = fc.integer({ min: 1, max: 1_000 });

group("percentiles", () => {
  test("equal the naive nearest rank of any sample", () => {
    const samples = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(samples, perMille, (values, q) => {
        expect(quantile(Float64Array.from(values).sort(), q)).toBe(naive(values, q));
      }),
    );
  });

  test("of values that are counted equal those of all of them sorted", () => {
    const gap = fc.oneof(fc.nat(30), fc.nat(60_000_000));
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 400 }), perMille, (gaps, q) => {
        const values = [...new Set(gaps)].sort((a, b) => a - b);
        const counted = new Counted(
          values,
          values.map((value) => gaps.filter((other) => other === value).length),
        );
        expect(counted.quantile(q)).toBe(naive(gaps, q));
        expect([counted.count, counted.max]).toEqual([gaps.length, Math.max(...gaps)]);
        expect(counted.over(15)).toBe(gaps.filter((value) => value > 15).length);
      }),
    );
  });

  test("have ranks that no rounding error moves", () => {
    expect(nearestRank(200, 950)).toBe(190);
    expect(nearestRank(10_000, 999)).toBe(9_990);
    expect(nearestRank(1, 500)).toBe(1);
  });
});

group("small samples", () => {
  test.each(QUANTILES.map(({ name, minSamples }) => [name, minSamples] as const))(
    "%s is absent below %i samples",
    (name, enough) => {
      const sample = (count: number) => Counted.of(Array.from({ length: count }, (_, index) => index)).distribution();
      expect(sample(enough - 1)?.[name]).toBeUndefined();
      expect(sample(enough)?.[name]).toBeTypeOf("number");
    },
  );

  test("a percentile is given exactly where ten samples lie beyond it", () => {
    for (const { perMille: q, minSamples } of QUANTILES) expect((minSamples * (1_000 - q)) / 1_000).toBe(10);
  });

  test("no sample has no distribution, and one sample has no percentile", () => {
    expect(Counted.of([]).distribution()).toBeUndefined();
    expect(Counted.of([7]).distribution()).toEqual({ count: 1, mean: 7, min: 7, max: 7 });
  });

  test("of gaps, requests are what counts", () => {
    const pooled = new Counted(
      Array.from({ length: 100 }, (_, gap) => gap / 1_000),
      new Array(100).fill(100),
    );
    expect(pooled.distribution(100)).toMatchObject({ count: 10_000, p90: 0.089 });
    expect(pooled.distribution(100)).not.toHaveProperty("p95");
    expect(pooled.curve(100).at(-1)).toEqual([0.9, 0.089]);
  });

  test("a curve ends where fewer than ten samples lie beyond it", () => {
    expect(curve(100, (rank) => rank).at(-1)).toEqual([0.9, 90]);
    expect(curve(9, (rank) => rank)).toEqual([]);
  });
});
