import { expect, it } from "vitest";
import { changeAt, without } from "./change-member.ts";

const body = { a: 1, list: [{ b: { c: 2 } }, { b: { c: 3, d: 4 } }, 5] };

it("leaves a member out, in every item of an array", () => {
  expect(without(body, "a")).toEqual({ list: body.list });
  expect(without(body, "list[].b.c")).toEqual({ a: 1, list: [{ b: {} }, { b: { d: 4 } }, 5] });
});

it("changes a member and keeps the order of the others; what is absent stays so", () => {
  expect(JSON.stringify(changeAt({ x: 1, y: 2, z: 3 }, "y", () => 9))).toBe('{"x":1,"y":9,"z":3}');
  expect(changeAt(body, "list[].b.d", () => 0)).toEqual({ a: 1, list: [{ b: { c: 2 } }, { b: { c: 3, d: 0 } }, 5] });
  expect(changeAt(body, "no.such", () => 0)).toEqual(body);
});

it("mutates nothing", () => {
  const before = structuredClone(body);
  without(body, "list[].b");
  expect(body).toEqual(before);
});
