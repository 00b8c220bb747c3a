import { expect, test } from "vitest";
import { FloatVector } from "./float-vector.ts";

test("a vector is the list that was pushed, and sorts a copy of it", () => {
  const vector = new FloatVector();
  const list = Array.from({ length: 500 }, (_, index) => (index * 7) % 500);
  for (const value of list) vector.push(value);
  expect([...vector.sorted()]).toEqual(list.toSorted((a, b) => a - b));
  expect([...vector.view()]).toEqual(list);
  expect(vector.length).toBe(500);
});
