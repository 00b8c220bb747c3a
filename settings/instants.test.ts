import fc from "fast-check";
import { expect, test } from "vitest";
import { formatInstant, readInstant } from "./instants.ts";

test("an instant is written with microseconds", () => {
  expect(formatInstant(1_700_000_000_123.456)).toBe("2023-11-14T22:13:20.123456Z");
  expect(formatInstant(1_700_000_000_000)).toBe("2023-11-14T22:13:20.000000Z");
  expect(formatInstant(1_699_999_999_999.9998)).toBe("2023-11-14T22:13:20.000000Z");
});

test("an instant is read to the microsecond, however many decimals it has", () => {
  const second = 1_700_000_000_000;
  expect(readInstant("2023-11-14T22:13:20Z")).toBe(second);
  expect(readInstant("2023-11-14T22:13:20.5Z")).toBe(second + 500);
  expect(readInstant("2023-11-14T22:13:20.1234Z")).toBeCloseTo(second + 123.4, 3);
  expect(readInstant("2023-11-14T22:13:20.123456Z")).toBeCloseTo(second + 123.456, 3);
  expect(readInstant("2023-11-14T22:13:20.123456789Z")).toBeCloseTo(second + 123.456, 3);
  expect(readInstant("2023-11-14T23:13:20.000001+01:00")).toBeCloseTo(second + 0.001, 3);
});

test("any other text is not a number", () => {
  expect([readInstant(""), readInstant("soon")]).toEqual([Number.NaN, Number.NaN]);
});

test("what is written is read back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000_000 }), (micros) => {
      expect(Math.round(readInstant(formatInstant(micros / 1_000)) * 1_000)).toBe(micros);
    }),
  );
});
