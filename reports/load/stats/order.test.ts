import fc from "fast-check";
import { expect, test } from "vitest";
import { tightStore } from "../../../tests/support/results/scratch-memory.ts";
import { inOrderOf } from "./order.ts";
import { PageStore } from "./page-store.ts";

test.each([
  ["in memory", () => new PageStore()],
  ["in parts", () => tightStore(4_096)],
])("rows are in the order of their values, and stay as they are where these are equal: %s", (_, newStore) => {
  const instant = fc.integer({ min: -(2 ** 46), max: 2 ** 46 }).map((us) => us / 1_000);
  const few = fc.integer({ min: 0, max: 3 });
  fc.assert(
    fc.property(fc.array(fc.oneof(instant, few), { maxLength: 600, size: "max" }), (values) => {
      const order: number[] = [];
      inOrderOf(
        (row) => values[row] ?? 0,
        values.length,
        (row) => order.push(row),
        newStore(),
      );
      const expected = values.map((_, row) => row).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
      expect(order).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test.each([
  ["at once", () => new PageStore()],
  ["in parts that are sorted by their digits", () => tightStore(6_000 * 64)],
])("of many rows, %s", (_, newStore) => {
  const values = Array.from({ length: 60_000 }, (_, row) => ((row * 7_919) % 30_011) / 8);
  const order: number[] = [];
  inOrderOf(
    (row) => values[row] ?? 0,
    values.length,
    (row) => order.push(row),
    newStore(),
  );
  const isInOrder = order.every((row, index) => {
    const before = order[index - 1] ?? row;
    const [a, b] = [values[before] ?? 0, values[row] ?? 0];
    return a < b || (a === b && before <= row);
  });
  expect([isInOrder, new Set(order).size]).toEqual([true, values.length]);
});
