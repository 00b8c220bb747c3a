import { expect, test } from "vitest";
import { FloatVector } from "./float-vector.ts";

test("a vector is the list that was pushed, with absent values first, between and last", () => {
  const vector = new FloatVector();
  const list = Array.from({ length: 500 }, (_, index) => (index < 100 || index % 7 === 0 ? Number.NaN : index));
  for (const value of list) vector.push(value);
  const read = () => Array.from({ length: vector.length }, (_, index) => vector.at(index));
  expect(read()).toEqual(list);
  vector.set(3, 42);
  vector.set(300, 43);
  expect(read()).toEqual(list.with(3, 42).with(300, 43));
  expect([...vector.view()]).toEqual(read());
  vector.push(9);
  expect([vector.at(500), vector.at(501), vector.length]).toEqual([9, Number.NaN, 501]);
});

test("a vector of absent values has them all", () => {
  const vector = new FloatVector();
  for (let index = 0; index < 100; index += 1) vector.push(Number.NaN);
  expect([vector.length, vector.at(99), vector.view().length]).toEqual([100, Number.NaN, 100]);
});
