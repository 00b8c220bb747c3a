import { describe, expect, test } from "vitest";
import { type Random, randomFrom } from "../../tests/support/results/random-numbers.ts";
import { type Scale, shiftsIn, type TimedValue } from "./change-points.ts";

const ALPHA = 0.05;
const SERIES = 300;

const timed = (value: number, half = 0, error = 0): TimedValue => ({ value, half, error });
const latencies = (length: number, noise: (index: number) => number): TimedValue[] =>
  Array.from({ length }, (_, index) => timed(200 * Math.exp(0.03 * noise(index))));
const placesOf = (values: readonly TimedValue[], scale: Scale = "relative") =>
  shiftsIn(values, scale, ALPHA).map(({ at }) => at);

describe("a steady series shows a change in one of twenty cases at most", () => {
  const noises: Readonly<Record<string, (random: Random) => number>> = {
    "normal noise": ({ normal }) => normal(),
    "noise with heavy tails": ({ normal }) => normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3),
    "a result in twenty far off": ({ normal, uniform }) => normal() + (uniform() < 0.05 ? 8 : 0),
  };
  test.each(Object.keys(noises))("with %s", (name) => {
    for (const length of [6, 10, 20, 50]) {
      let alarms = 0;
      for (let series = 0; series < SERIES; series += 1) {
        const random = randomFrom(series * 7_919 + length);
        const draw = noises[name];
        if (placesOf(latencies(length, () => draw?.(random) ?? 0)).length > 0) alarms += 1;
      }
      // What chance adds to a share of so few series: three times its standard error.
      expect(alarms / SERIES).toBeLessThan(ALPHA + 3 * Math.sqrt((ALPHA * (1 - ALPHA)) / SERIES));
    }
  });
});

describe("a planted change", () => {
  test("is found where it is, with an interval that holds its size", () => {
    const { normal } = randomFrom(3);
    const [shift, ...others] = shiftsIn(
      latencies(30, (index) => normal() + (index < 18 ? 0 : 6)),
      "relative",
      ALPHA,
    );
    const planted = Math.expm1(0.18);
    expect(others).toEqual([]);
    expect(shift?.at).toBe(18);
    expect(shift?.interval[0]).toBeLessThan(planted);
    expect(shift?.interval[1]).toBeGreaterThan(planted);
    expect(shift?.after).toBeGreaterThan(shift?.before ?? Number.NaN);
  });

  test("that ends again is two changes", () => {
    const { normal } = randomFrom(5);
    expect(placesOf(latencies(40, (index) => normal() + (index >= 15 && index < 23 ? 8 : 0)))).toEqual([15, 23]);
  });

  test("of three results is one, and of two is none", () => {
    const { normal } = randomFrom(11);
    const noise = Array.from({ length: 30 }, normal);
    const last = (count: number) =>
      placesOf(latencies(30, (index) => (noise[index] ?? 0) + (index >= 30 - count ? 12 : 0)));
    expect(last(3)).toEqual([27]);
    expect(last(2)).toEqual([]);
  });

  test("of a share is found in points", () => {
    const values = Array.from({ length: 20 }, (_, index) =>
      timed((index < 10 ? 0.001 : 0.05) + 0.000_1 * (index % 3), 0.002),
    );
    const [shift] = shiftsIn(values, "points", ALPHA);
    expect(shift).toMatchObject({ at: 10, change: expect.closeTo(0.049, 3) });
  });

  test.each([
    ["within what the runs themselves leave open", timed(200, 60), timed(210, 60)],
    ["smaller than the load generator was late", timed(2, 0, 5), timed(3, 0, 5)],
    ["smaller than 1 %", timed(200), timed(201)],
  ])("%s is none", (_, before, after) => {
    expect(placesOf(Array.from({ length: 20 }, (__, index) => (index < 10 ? before : after)))).toEqual([]);
  });
});

test("few or no values have no change", () => {
  for (const length of [0, 1, 2, 5]) expect(placesOf(latencies(length, (index) => index * 10))).toEqual([]);
});
