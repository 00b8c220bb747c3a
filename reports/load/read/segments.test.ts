import fc from "fast-check";
import { expect, describe as group, test } from "vitest";
import { describeLoad } from "./load-description.ts";
import { areWhole, joined, missingSegments, overlap, segmentName, segmentOfPart, shareOf } from "./segments.ts";

/** Segments of n equal parts, as k6 writes them: reduced fractions. */
const reduced = (over: number, under: number): string => {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const by = divisor(over, under);
  return under / by === 1 ? `${over / by}` : `${over / by}/${under / by}`;
};
const equal = (of: number): string[] =>
  Array.from({ length: of }, (_, index) => `${reduced(index, of)}:${reduced(index + 1, of)}`);

group("segments", () => {
  test("have the names that they were asked for by", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (of) => {
        expect(equal(of).map(segmentName)).toEqual(equal(of).map((_, index) => `${index + 1}/${of}`));
      }),
    );
    expect(["1/3:1", "0:0.3", "any"].map(segmentName)).toEqual(["1/3:1", "0:0.3", "any"]);
  });

  test("are the whole run when all of them are there, in any order", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }).chain((of) => fc.shuffledSubarray(equal(of), { minLength: of })),
        (all) => {
          expect(areWhole(all)).toBe(true);
          expect(areWhole(all.slice(1))).toBe(false);
          expect(missingSegments(all)).toEqual([]);
          expect(missingSegments(all.slice(1))).toEqual([segmentName(all[0] ?? "")]);
          expect(overlap(all)).toBe(false);
          expect(overlap([...all, all[0] ?? ""])).toBe(true);
        },
      ),
    );
    expect(areWhole(["1/2:1", "0:1/4", "1/4:1/2"])).toBe(true);
    expect(overlap(["0:1/2", "1/3:1"])).toBe(true);
    expect(shareOf(["0:1/4", "1/2:1"])).toBe(0.75);
    expect(missingSegments(["0:1/4", "1/2:1"])).toEqual(["2/4"]);
    expect(missingSegments(["0:1/6", "1/6:1/3"])).toEqual(["3/6", "4/6", "5/6", "6/6"]);
    expect(missingSegments(["0:1/6", "1/6:1/3", "2/3:1"])).toEqual(["2/3"]);
  });

  test("within a part of the run are together that part, by its name", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 9 }).chain((of) => fc.tuple(fc.constant(of), fc.integer({ min: 1, max: of }))),
        fc.integer({ min: 2, max: 9 }),
        ([of, part], runners) => {
          const own = equal(of * runners).slice((part - 1) * runners, part * runners);
          const within = segmentOfPart(`${part}/${of}`);
          expect(missingSegments(own, within)).toEqual([]);
          expect(missingSegments(own.slice(1), within)).toEqual([segmentName(own[0] ?? "")]);
          expect(missingSegments(own.slice(0, -1), within)).toEqual([segmentName(own.at(-1) ?? "")]);
          expect(segmentName(joined(own.toReversed()) ?? "")).toBe(`${part}/${of}`);
        },
      ),
    );
    expect([undefined, "1/1", "1/3", "3/3"].map(segmentOfPart)).toEqual(["0:1", "0:1", "0:1/3", "2/3:1"]);
    expect(joined(["0:1/4", "1/2:1"])).toBeUndefined();
  });
});

group("the description of a load", () => {
  const steady = { rate: 20, arrival: { process: "poisson" }, duration: 30_000, warmup: 5_000 };
  const bare = { duration: 30_000, warmup: 0 };

  test.each([
    [steady, "20/s poisson for 30s (warm-up 5s)"],
    [{ ...bare, rate: 3 }, "3/s constant for 30s"],
    [{ ...steady, steadyOnly: true }, "20/s poisson for 30s (warm-up 5s, its steady part alone)"],
    [{ ...bare, rate: "10..50,50", arrival: { process: "gamma", cv: 2 } }, "10..50,50/s gamma:2 for 30s"],
    [{ ...bare, vus: 1 }, "1 user for 30s"],
    [{ ...bare, vus: 3, arrival: { process: "constant" } }, "3 users for 30s"],
    [{ ...bare, arrival: { process: "trace", file: "/data/a b.csv" } }, "trace of a b.csv for 30s"],
    [
      { ...bare, arrival: { process: "trace", file: "C:\\data\\t.csv", speed: 0.5 } },
      "trace of t.csv at 0.5 times its speed for 30s",
    ],
  ])("%j is described as %s", (settings, words) => expect(describeLoad(settings, [undefined])).toBe(words));

  test("is the whole run's when all its shards are there, or names its segments", () => {
    const whole = "20/s poisson for 30s (warm-up 5s)";
    expect(describeLoad(steady, equal(4))).toBe(whole);
    expect(describeLoad(steady, ["1/4:1/2"])).toBe(`segment 2/4 of ${whole}`);
    expect(describeLoad(steady, ["1/6:1/3", "0:1/6"])).toBe(`segment 1/3 of ${whole}`);
    expect(describeLoad(steady, ["3/4:1", "0:1/4"])).toBe(`segments 4/4, 1/4 of ${whole}`);
    expect(describeLoad(steady, [undefined, undefined])).toBe(`2 times ${whole}`);
  });
});
