/** What does not fit into memory is the same as what does: stores with a tiny budget against plain lists. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { tightStore } from "../../../tests/support/results/scratch-memory.ts";
import { ascending } from "./ascending.ts";
import { Column } from "./column.ts";
import { PageStore } from "./page-store.ts";
import { PairTable } from "./pair-table.ts";
import { PooledGaps } from "./pooled-gaps.ts";
import { Sample } from "./sample.ts";

const PAGES = 12;
const LENGTH = PAGES * 2_048;

const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.integer().map((whole) => whole / 1_000),
  fc.constant(Number.NaN),
);

test("columns that share a store are the lists of their values, whatever is replaced in which order", () => {
  fc.assert(
    fc.property(
      // Some that differ, in both columns: one of equal values has no pages.
      fc.array(anyNumber, { maxLength: 30 }).map((more) => [0, 0.5, 1, ...more]),
      anyNumber,
      fc.array(fc.tuple(fc.nat(2), fc.nat(LENGTH - 1), anyNumber), { maxLength: 60 }),
      fc.constantFrom(0, 20_000, 100_000),
      (some, only, changes, budget) => {
        const store = tightStore(budget);
        const columns = [new Column(store), new Column(store), new Column(store)];
        const lists = columns.map((_, which) =>
          Array.from({ length: LENGTH }, (_, index) =>
            which === 2 ? only : (some[(index * (which + 1)) % some.length] ?? 0),
          ),
        );
        for (let index = 0; index < LENGTH; index += 1) {
          for (const [which, column] of columns.entries()) column.push(lists[which]?.[index] ?? 0);
        }
        for (const [which, index, value] of changes) {
          columns[which]?.set(index, value);
          const list = lists[which];
          if (list !== undefined) list[index] = value;
        }
        for (const [which, column] of columns.entries()) {
          const list = lists[which] ?? [];
          // toEqual of long lists takes most of the time.
          expect(list.findIndex((value, index) => !isSame(value, column.at(index)))).toBe(-1);
        }
        expect(store.scratchBytes).toBeGreaterThan(0);
      },
    ),
    { numRuns: 20 },
  );
});

/** Encoding makes no difference between 0 and -0. */
const isSame = (a: number, b: number): boolean => a === b || (Number.isNaN(a) && Number.isNaN(b));

test("below its budget a store opens no scratch file, and above it none that is larger than needed", () => {
  const none = new PageStore(1 << 20, () => expect.unreachable());
  const small = new Column(none);
  for (let index = 0; index < 10_000; index += 1) small.push(index);
  const store = tightStore(100_000);
  for (let round = 0; round < 5; round += 1) {
    const list = new Column(store);
    for (let index = 0; index < 100_000; index += 1) list.push(index);
    let next = 0;
    list.each((value) => {
      if (value !== next) expect.unreachable();
      next += 1;
    });
    list.release();
  }
  // 800,000 bytes per round, whose places are used again.
  expect(store.scratchBytes).toBeLessThan(1_000_000);
});

const manyValues = fc.array(
  fc.oneof(
    fc.double({ noNaN: true }),
    fc.nat(3),
    fc.nat(1_000_000).map((us) => us / 1_000),
    fc.constant(Number.POSITIVE_INFINITY),
  ),
  { maxLength: 3_000, size: "max" },
);

const visitorOf = (list: readonly number[]) => (take: (value: number) => void) => {
  for (const value of list) take(value);
};

test("values sorted by parts are those sorted at once", () => {
  fc.assert(
    fc.property(manyValues, fc.constantFrom(0, 8_000, 64_000), (values, budget) => {
      const { count, lists } = ascending(visitorOf(values.map((value) => value + 0)), tightStore(budget));
      const sorted = [...lists()].flatMap((list) => [...list]);
      expect(count).toBe(values.length);
      expect(sorted).toEqual([...Float64Array.from(values, (value) => value + 0).sort()]);
    }),
    { numRuns: 60 },
  );
});

test("the figures of a sample do not depend on the budget, to the last bit", () => {
  const latencies = fc.array(
    fc.oneof(
      fc.nat(300_000_000).map((us) => us / 1_000),
      fc.constantFrom(0, 0.25),
    ),
    { minLength: 1, maxLength: 4_000, size: "max" },
  );
  fc.assert(
    fc.property(latencies, fc.nat(200), (values, more) => {
      const [whole, parts] = [new Sample(visitorOf(values)), new Sample(visitorOf(values), tightStore(4_000))];
      expect(parts.distribution()).toEqual(whole.distribution());
      expect(parts.curve(more)).toEqual(whole.curve(more));
      expect([parts.max, parts.quantile(990), parts.over(1_000)]).toEqual([
        whole.max,
        whole.quantile(990),
        whole.over(1_000),
      ]);
    }),
    { numRuns: 40 },
  );
});

test("a table is the map of its pairs", () => {
  const number = fc.oneof(fc.nat(300), fc.nat(1_000_000), fc.maxSafeNat());
  const first = fc.oneof(
    fc.nat(2),
    fc.maxSafeNat().map((whole) => -1 - whole),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(first, number, fc.nat()), { maxLength: 3_000, size: "max" }),
      fc.constantFrom(0, 30_000),
      (entries, budget) => {
        const table = new PairTable(tightStore(budget));
        const map = new Map<string, number>();
        for (const [one, other, value] of entries) {
          expect(table.get(one, other)).toBe(map.get(`${one} ${other}`));
          table.set(one, other, value);
          map.set(`${one} ${other}`, value);
        }
        for (const [one, other] of entries) expect(table.get(one, other)).toBe(map.get(`${one} ${other}`));
        expect(table.size).toBe(map.size);
      },
    ),
    { numRuns: 30 },
  );
});

test("many different gaps beyond two seconds take no memory of their own", () => {
  const store = tightStore(50_000);
  const [few, many] = [new PooledGaps(), new PooledGaps(store)];
  const us = Array.from({ length: 70_000 }, (_, index) => 2_000_000 + ((index * 7_919_993) % 60_000_000));
  few.add(us.slice(0, 50));
  many.add(us);
  many.addCounted({ us: [2_000_000, 5], n: [3, 2], error: 0.001 });
  const all = [...us, 2_000_000, 2_000_000, 2_000_000, 5, 5].map((gap) => gap / 1_000);
  const { mean, ...rest } = many.distribution(all.length) ?? { mean: 0 };
  const { mean: expected = 0, ...others } = Sample.of(all).distribution() ?? {};
  expect(rest).toEqual(others);
  expect(mean).toBeCloseTo(expected, 6);
  expect(store.scratchBytes).toBeGreaterThan(0);
  expect(few.curve(50)).toEqual(Sample.of(us.slice(0, 50).map((gap) => gap / 1_000)).curve(0));
});
