import { expect, test } from "vitest";
import { IdSet } from "./id-set.ts";

test("a text that was added is known, and no other of a hundred thousand like it", () => {
  const ids = new IdSet();
  const name = (index: number) => `r-${index}`;
  const added = (): number =>
    Array.from({ length: 100_000 }, (_, index) => ids.add(name(index))).filter(Boolean).length;
  expect([added(), added()]).toEqual([100_000, 0]);
  expect(ids.add("")).toBe(true);
  expect(ids.add("")).toBe(false);
});
