import fc from "fast-check";
import { expect, test } from "vitest";
import { Column } from "./column.ts";

const LENGTH = 20_000;

const KINDS: Readonly<Record<string, (index: number) => number>> = {
  "whole numbers": (index) => index % 200,
  "large counts": (index) => index * 1_000_003,
  microseconds: (index) => (index * 7_919) / 1_000,
  "instants with microseconds": (index) => 1_790_000_000_000 + (index * 1_237) / 1_000,
  fractions: (index) => index / 7,
  "one value": () => 42.5,
  "negative ones": (index) => (500 - index) / 1_000,
  "ones that are absent": () => Number.NaN,
  "ones of which some are absent": (index) => (index % 3 === 0 ? Number.NaN : index / 1_000),
  "ones that cannot be": (index) => [Number.POSITIVE_INFINITY, 1e300, -1e300, 2 ** 53, 0.1 + 0.2][index % 5] ?? 0,
};

const read = (column: Column): number[] => Array.from({ length: column.length }, (_, index) => column.at(index));

test.each(Object.entries(KINDS))(
  "a column of %s returns each as it was given, also once some were replaced",
  (_, of) => {
    const column = new Column();
    const list = Array.from({ length: LENGTH }, (_, index) => of(index));
    for (const value of list) column.push(value);
    expect(read(column)).toEqual(list);
    for (const [index, value] of [
      [3, 1e9],
      [4, Number.NaN],
      [LENGTH / 2, 1 / 3],
      [LENGTH - 1, 7],
    ] as const) {
      column.set(index, value);
      list[index] = value;
    }
    expect(read(column)).toEqual(list);
    expect([column.at(LENGTH), column.length]).toEqual([Number.NaN, LENGTH]);
  },
);

test("a column of any numbers is the list of them", () => {
  const number = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.integer().map((whole) => whole / 1_000),
    fc.constant(Number.NaN),
  );
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 40 }), (some) => {
      const column = new Column();
      const list = Array.from({ length: 12_000 }, (_, index) => some[index % some.length] ?? 0);
      for (const value of list) column.push(value);
      return list.every((value, index) => value === column.at(index) || Number.isNaN(value + column.at(index)));
    }),
    { numRuns: 50 },
  );
});
