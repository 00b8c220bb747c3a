import { expect, it } from "vitest";
import { changeAt } from "./change-member.ts";

const body = { a: 1, list: [{ b: { c: 2 } }, { b: { c: 3, d: 4 } }, 5] };

it("removes a member, in every item of an array", () => {
  expect(changeAt(body, "a", () => undefined)).toEqual({ list: body.list });
  expect(changeAt(body, "list[].b.c", () => undefined)).toEqual({ a: 1, list: [{ b: {} }, { b: { d: 4 } }, 5] });
});

it("changes a member and keeps the order of the others; an absent member stays absent", () => {
  expect(JSON.stringify(changeAt({ x: 1, y: 2, z: 3 }, "y", () => 9))).toBe('{"x":1,"y":9,"z":3}');
  expect(changeAt(body, "list[].b.d", () => 0)).toEqual({ a: 1, list: [{ b: { c: 2 } }, { b: { c: 3, d: 0 } }, 5] });
  expect(changeAt(body, "no.such", () => 0)).toEqual(body);
});

it("mutates nothing", () => {
  const before = structuredClone(body);
  changeAt(body, "list[].b", () => undefined);
  expect(body).toEqual(before);
});
