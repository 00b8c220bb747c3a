import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { eventsIn, formatRates, parseRates, steady, steadyRate } from "./rates.ts";

describe("rates that change", () => {
  test.each([
    ["20", [[20, 20]]],
    ["20/s", [[20, 20]]],
    ["600/m", [[10, 10]]],
    ["10..100", [[10, 100]]],
    ["100..0/s", [[100, 0]]],
    [
      "10,20,40",
      [
        [10, 10],
        [20, 20],
        [40, 40],
      ],
    ],
    [
      "10..50,50",
      [
        [10, 50],
        [50, 50],
      ],
    ],
    [
      "60..120,180/m",
      [
        [1, 2],
        [3, 3],
      ],
    ],
    ["1/s..120/m", [[1, 2]]],
    [
      " 1.5 .. 2 , 0 ",
      [
        [1.5, 2],
        [0, 0],
      ],
    ],
  ])("%s has the stages %j", (text, stages) => {
    expect(parseRates(text)).toEqual(stages.map(([from, to]) => ({ from, to })));
  });

  test.each(["10..", "..10", "10..20..30", "10,,20", "1,", "-1..5", "0,0", "0..0", "a..b", "1..2/d", "10...20"])(
    "%j is refused with an example",
    (text) => {
      expect(() => parseRates(text)).toThrow(UsageError);
      expect(() => parseRates(text)).toThrow("write a ramp such as 10..100");
    },
  );

  test.each(["0", "-1", "20/d", "fast", ""])("the single rate %j is refused as ever", (text) =>
    expect(() => parseRates(text)).toThrow("is not a rate above zero; write one such as 20/s"),
  );

  test.each([
    ["1,000", "write 1000 for one rate, or 1, 0 with a space for steps"],
    ["2,500/s", "write 2500/s for one rate, or 2, 500/s with a space for steps"],
  ])("%j may be one rate or two, and is asked about", (text, advice) =>
    expect(() => parseRates(text)).toThrow(`"${text}" may mean one rate or two steps; ${advice}`),
  );

  test.each(["1, 500", "5,400", "50,100,200"])("%j is steps alone", (text) =>
    expect(parseRates(text).map(({ to }) => to)).toEqual(text.split(",").map(Number)),
  );

  const rate = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1_000);
  const stage = fc.record({ from: rate, to: rate }, { noNullPrototype: true });
  const profile = fc
    .array(stage, { minLength: 1, maxLength: 6 })
    .filter((stages) => stages.some(({ from, to }) => from + to > 0));

  test("is read back as it was written", () => {
    fc.assert(
      fc.property(profile, (stages) => {
        expect(parseRates(formatRates(stages))).toEqual(stages);
      }),
    );
  });

  test("is read or refused as a whole, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.,/smh ]*$/)), (text) => {
        try {
          for (const { from, to } of parseRates(text))
            expect(Number.isFinite(from + to) && from >= 0 && to >= 0).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });

  test("makes as many events as the mean of its rates does", () => {
    expect(eventsIn(parseRates("10..50,50"), 20_000)).toBe(10 * 30 + 10 * 50);
    expect(eventsIn(steady(3), 500)).toBe(1.5);
  });

  test("is steady when it never changes, however it is written", () => {
    expect(["7", "7..7", "7,7", "7..8", "7,8"].map((text) => steadyRate(parseRates(text)))).toEqual([
      7,
      7,
      7,
      undefined,
      undefined,
    ]);
  });
});
